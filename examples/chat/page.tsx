import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Composer } from './composer.js';
import { type ChatMessage, Message, textOf } from './message.js';

// The address names the chat, so that a reload, a bookmark and a second tab show the same one.
if (!location.pathname.startsWith('/c/')) history.replaceState(null, '', `/c/${crypto.randomUUID()}`);
const id = location.pathname.slice('/c/'.length);

const transport = new DefaultChatTransport<ChatMessage>({
  api: '/api/chats',
  // The server has the history: it needs only what is new.
  prepareSendMessagesRequest: ({ messages, trigger }) => ({ body: { id, trigger, message: messages.at(-1) } }),
});

async function read<T>(path: string): Promise<T> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return (await response.json()) as T;
}

function Chat({ saved }: { readonly saved: ChatMessage[] }) {
  const [draft, setDraft] = useState('');
  const [isLost, setLost] = useState(false);
  const chat = useChat<ChatMessage>({
    id,
    transport,
    messages: saved,
    // Shows a message that is being written, from its beginning: after a reload, and in a second tab.
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    // A turn that failed says so in its ending. After a broken connection or a refusal the server knows more than the page.
    onError: (error) => {
      if (error instanceof TypeError || error.message.startsWith('{"code"')) void catchUp();
    },
  });
  const { messages, status } = chat;
  const last = messages.at(-1);
  const isBusy = isLost || status === 'submitted' || status === 'streaming';
  const isAsked = !isBusy && (last?.metadata?.ending?.requests.length ?? 0) > 0;

  /** Shows what the server has, as soon as there is one, and follows what is under way. */
  async function catchUp(): Promise<void> {
    setLost(true);
    const known = await read<ChatMessage[]>(`/api/chats/${id}`).catch(() => undefined);
    if (known === undefined) return void setTimeout(() => void catchUp(), 1000);
    const said = (list: readonly ChatMessage[]) => list.filter(({ role }) => role === 'user');
    const unsent = said(chat.messages)[said(known).length];
    // What never arrived goes back to where it was typed.
    if (unsent !== undefined) setDraft(textOf(unsent));
    chat.setMessages(known);
    setLost(false);
    await chat.resumeStream();
  }

  async function stop(): Promise<void> {
    await fetch(`/api/chats/${id}/stop`, { method: 'POST' });
    // A turn that waits for an answer has no stream in which its ending could come.
    if (isAsked) await catchUp();
  }

  function send(text: string): void {
    setDraft('');
    void chat.sendMessage({ text });
  }

  const end = useRef<HTMLDivElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }));
  return (
    <>
      <main>
        {messages.length === 0 && <Welcome onPick={send} />}
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            isLive={isBusy && message === last}
            onDecide={(call, approved) => void chat.addToolApprovalResponse({ id: call, approved })}
            {...(message === last && !isBusy && { onRetry: () => void chat.regenerate() })}
          />
        ))}
        {isBusy && (
          <p className="under-way" role="status">
            {isLost ? 'Connection lost. Reconnecting …' : 'Working …'}
          </p>
        )}
        <div ref={end} />
      </main>
      <Composer draft={draft} isAsked={isAsked} isBusy={isBusy} onDraft={setDraft} onSend={send} onStop={stop} />
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
    <Chat saved={saved} />
  </>,
);
