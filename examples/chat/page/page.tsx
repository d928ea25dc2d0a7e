import { useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { Composer } from './composer.js';
import { type ChatMessage, Message } from './message.js';
import { read, useDurableChat } from './use-durable-chat.js';

// The address names the chat, so that a reload, a bookmark and a second tab show the same one.
if (!location.pathname.startsWith('/c/')) history.replaceState(null, '', `/c/${crypto.randomUUID()}`);
const id = location.pathname.slice('/c/'.length);

function Conversation({ saved }: { readonly saved: ChatMessage[] }) {
  const chat = useDurableChat(id, saved);
  const { messages, isBusy, isAsked, isLost } = chat;
  const last = messages.at(-1);
  const canStop = isAsked || (isBusy && !isLost);
  const height = useRef(0);
  useEffect(() => {
    // Whoever reads at the end stays there; whoever has scrolled up is left alone.
    const wasAtEnd = height.current - scrollY - innerHeight < 50;
    height.current = document.documentElement.scrollHeight;
    if (wasAtEnd) scrollTo(0, height.current);
  });
  return (
    <>
      <main>
        {messages.length === 0 && <Welcome onPick={chat.send} />}
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            isLive={isBusy && message === last}
            onDecide={chat.decide}
            {...(message === last && !isBusy && { onRetry: chat.retry })}
          />
        ))}
        {isBusy && (
          <p className="under-way" role="status">
            {isLost ? 'Connection lost. Reconnecting …' : 'Working …'}
          </p>
        )}
      </main>
      <Composer
        draft={chat.draft}
        isFree={!isBusy && !isAsked}
        onDraft={chat.setDraft}
        onSend={chat.send}
        {...(canStop && { onStop: chat.stop })}
      />
    </>
  );
}

function Welcome({ onPick }: { readonly onPick: (text: string) => void }) {
  const ideas = ['Where is order 1001?', 'Refund order 1002', 'How do returns work?'];
  return (
    <section className="welcome">
      <h2>How can I help?</h2>
      {ideas.map((idea) => (
        <button type="button" key={idea} onClick={() => onPick(idea)}>
          {idea}
        </button>
      ))}
    </section>
  );
}

function Header({ user, tenant }: { readonly user: string; readonly tenant: string }) {
  const signIn = (name: string): void => {
    // biome-ignore lint/suspicious/noDocumentCookie: stands for a sign-in, which a server would do.
    document.cookie = `user=${name}; path=/; samesite=strict`;
    location.assign('/');
  };
  return (
    <header>
      <h1>
        Support <small>{tenant}</small>
      </h1>
      <label>
        <span>Signed in as</span>
        <select value={user} onChange={(event) => signIn(event.target.value)}>
          <option value="ann">Ann</option>
          <option value="bo">Bo</option>
        </select>
      </label>
      <a href="/">New chat</a>
    </header>
  );
}

const me = await read<{ user: string; tenant: string }>('/api/me');
const saved = await read<ChatMessage[]>(`/api/chats/${id}`);
createRoot(document.getElementById('root') as HTMLElement).render(
  <>
    <Header {...me} />
    <Conversation saved={saved} />
  </>,
);
