import { createUIMessageStreamResponse, DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import {
  defineAgent,
  FullstopError,
  isDiscarded,
  memoryEngine,
  requireApproval,
  type UIEnding,
  uiAnswers,
} from 'fullstop';
import { scriptedModel } from 'fullstop/testing';

const engine = memoryEngine(); // sqliteEngine({ path }) for runs that outlive the process

const agent = defineAgent({
  name: 'refunds',
  model: scriptedModel([
    { text: 'I will refund that.', toolCalls: [{ tool: 'refund', input: { order: 7 }, id: 'call_1' }] },
    { text: 'The refund was declined.' },
  ]),
  tools: { refund: requireApproval({ execute: () => 'refunded' }) },
});

// The server: what a route of Hono, Next.js or Bun does with a request.
async function server(request: Request): Promise<Response> {
  const [, , runId = '', action] = new URL(request.url).pathname.split('/');
  if (request.method === 'GET') return respond(agent.follow(runId, { engine, signal: request.signal }));
  const { messages } = (await request.json()) as { messages: UIMessage[] };
  const last = messages.at(-1) as UIMessage;
  if (action === 'answer') return respond(agent.resumeStream(runId, { engine, answers: uiAnswers(last) }));
  const prompt = last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return respond(agent.stream(prompt, { engine, runId }));
}

async function respond(stream: ReturnType<typeof agent.follow>): Promise<Response> {
  try {
    // Nothing has been sent yet: a start or an answer that is refused still has a status of its own.
    await stream.ready;
  } catch (error) {
    const code = error instanceof FullstopError ? error.code : 'INTERNAL';
    const status = { RUN_NOT_FOUND: 404, RUN_ID_CONFLICT: 409, RESUME_CONFLICT: 409 }[code as string] ?? 400;
    return Response.json({ code }, { status });
  }
  return createUIMessageStreamResponse({ stream: stream.toUIMessageStream() });
}

// The page: `useChat` does the same with its transport.
const fetchHere: typeof fetch = (url, init) => server(new Request(url as string, { ...init, signal: null }));
const user = (text: string): UIMessage => ({ id: 'u1', role: 'user', parts: [{ type: 'text', text }] });

async function read(path: string, messages: UIMessage[]): Promise<UIMessage> {
  const transport = new DefaultChatTransport({ api: `http://localhost/chats/${path}`, fetch: fetchHere });
  const sent = { chatId: 'c', messageId: undefined, abortSignal: undefined, trigger: 'submit-message' } as const;
  const last = messages.at(-1) as UIMessage;
  const stream = await transport.sendMessages({ ...sent, messages });
  let message = last;
  const before = last.role === 'assistant' ? { message: last } : {};
  for await (const next of readUIMessageStream({ stream, ...before })) message = next;
  return message;
}

function show({ parts, metadata }: UIMessage): void {
  const shown = parts.filter((part) => !isDiscarded(part));
  for (const part of shown) if (part.type === 'text') console.log(part.text);
  for (const part of shown) if ('toolCallId' in part) console.log(part.type, part.state);
  console.log((metadata as { ending: UIEnding }).ending.summary);
}

const asked = await read('run-1', [user('Refund order 7')]);
show(asked);

// Another prompt under the same id is refused before anything is streamed.
const conflict = await fetchHere('http://localhost/chats/run-1', {
  method: 'POST',
  body: JSON.stringify({ messages: [user('Refund order 8')] }),
});
console.log(conflict.status, await conflict.json());

// A reload: the same message from the journal, whoever executed the run.
const response = await fetchHere('http://localhost/chats/run-1');
console.log(response.status, (await response.text()).includes('approval-request'));

// The user says no: `addToolApprovalResponse({ id, approved: false, reason })` leaves this part in the message.
const denied = asked.parts.map((part) =>
  'approval' in part && part.approval
    ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: false, reason: 'too late' } }
    : part,
);
show(await read('run-1/answer', [{ ...asked, parts: denied as UIMessage['parts'] }]));
