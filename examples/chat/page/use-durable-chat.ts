import { Chat, useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useState } from 'react';
import { type ChatMessage, textOf } from './message.js';

const transport = new DefaultChatTransport<ChatMessage>({
  api: '/api/chats',
  // The server has the history: it needs only what is new.
  prepareSendMessagesRequest: ({ id, messages, trigger }) => ({ body: { id, trigger, message: messages.at(-1) } }),
});

export async function read<T>(path: string): Promise<T> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return (await response.json()) as T;
}

/** `useChat` for answers that outlive the page, the connection and the server. */
export function useDurableChat(id: string, saved: ChatMessage[]) {
  const [draft, setDraft] = useState('');
  const [isLost, setLost] = useState(false);
  // A chat of our own, not just options: only then `useChat` knows that this transport sends an answer again from its beginning.
  const [chat] = useState(
    () =>
      new Chat<ChatMessage>({
        id,
        transport,
        messages: saved,
        sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
        // A turn that failed says so in its ending. After a broken connection or a refusal the server knows more than the page.
        onError: (error) => {
          if (error instanceof TypeError || error.message.startsWith('{"code"')) void catchUp();
        },
      }),
  );
  const { messages, status } = useChat({ chat, resume: isUnanswered(saved) });
  const isBusy = isLost || status === 'submitted' || status === 'streaming';
  const isAsked = !isBusy && (messages.at(-1)?.metadata?.ending?.requests.length ?? 0) > 0;

  /** Shows what the server has, as soon as there is one, and follows what is under way. */
  async function catchUp(): Promise<void> {
    setLost(true);
    const known = await read<ChatMessage[]>(`/api/chats/${id}`).catch(() => undefined);
    if (known === undefined) return void setTimeout(() => void catchUp(), 1000);
    // What never arrived goes back to where it was typed.
    const { lastMessage: last } = chat;
    const hasArrived = known
      .slice(chat.messages.length - 1)
      .some((message) => last && textOf(message) === textOf(last));
    if (last?.role === 'user' && !hasArrived) setDraft(textOf(last));
    chat.messages = known;
    setLost(false);
    if (isUnanswered(known)) await chat.resumeStream();
    else chat.clearError();
  }

  async function stop(): Promise<void> {
    const stopped = await fetch(`/api/chats/${id}/stop`, { method: 'POST' }).catch(() => undefined);
    // A turn that waits for an answer has no stream in which its ending could come.
    if (isAsked || !stopped?.ok) await catchUp();
  }

  return {
    messages,
    draft,
    setDraft,
    isLost,
    isBusy,
    isAsked,
    stop,
    send: (text: string) => {
      setDraft('');
      void chat.sendMessage({ text });
    },
    decide: (requestId: string, approved: boolean) => void chat.addToolApprovalResponse({ id: requestId, approved }),
    retry: () => void chat.regenerate(),
  };
}

/** The server leaves out an answer that it has not finished: that comes as a stream, also when it is finished by then. */
function isUnanswered(messages: readonly ChatMessage[]): boolean {
  return messages.at(-1)?.role === 'user';
}
