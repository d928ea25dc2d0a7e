import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of the model, sent whole or as a stream, whichever the client asks for. */
export interface Completion {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish?: string;
  readonly usage?: object;
  /** Stops in the middle of a stream: the connection breaks, or the stream ends as if that were all. */
  readonly cut?: 'connection' | 'stream';
  readonly delayMs?: number;
}

/** An answer of the server itself. */
export interface RawReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

export type Reply = Completion | RawReply;

export interface OpenAiServer {
  readonly url: string;
  /** The bodies that were sent to it. */
  readonly requests: readonly Record<string, unknown>[];
  /** The addresses and headers of those requests. */
  readonly calls: readonly { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
  /** How many clients went away before they had their answer. */
  abandoned(): number;
  /** What it answers next; a request without a reply is answered with status 418. */
  reply(...replies: readonly Reply[]): void;
  close(): Promise<void>;
}

/** A server on the loopback interface that speaks the chat completions format. */
export async function startOpenAiServer(): Promise<OpenAiServer> {
  const replies: Reply[] = [];
  const requests: Record<string, unknown>[] = [];
  const calls: { url: string; headers: IncomingMessage['headers'] }[] = [];
  let abandoned = 0;
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1;
    });
    void read(request).then((body) => {
      requests.push(body);
      calls.push({ url: request.url ?? '', headers: request.headers });
      return answer(response, replies.shift() ?? { status: 418, body: 'nothing to say' }, body['stream'] === true);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    calls,
    abandoned: () => abandoned,
    reply: (...more) => void replies.push(...more),
    close: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as Record<string, unknown>;
}

async function answer(response: ServerResponse, reply: Reply, streamed: boolean): Promise<void> {
  if ('body' in reply) {
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(body);
    return;
  }
  if (reply.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
  if (streamed) await stream(response, reply);
  else whole(response, reply);
}

const base = { id: 'chatcmpl-1', created: 1_772_366_400, model: 'test-model-2026' };
const usualUsage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

function whole(response: ServerResponse, completion: Completion): void {
  const { text = null, reasoning, toolCalls, usage = usualUsage } = completion;
  const message = {
    role: 'assistant',
    content: text,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(toolCalls !== undefined && {
      tool_calls: toolCalls.map(({ id, ...call }) => ({ id, type: 'function', function: call })),
    }),
  };
  const choices = [{ index: 0, message, finish_reason: finishOf(completion) }];
  const body = JSON.stringify({ ...base, object: 'chat.completion', choices, usage });
  response.writeHead(200, { 'content-type': 'application/json' });
  if (completion.cut === undefined) {
    response.end(body);
    return;
  }
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

function finishOf({ finish, toolCalls }: Completion): string {
  return finish ?? (toolCalls === undefined ? 'stop' : 'tool_calls');
}

async function stream(response: ServerResponse, completion: Completion): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = [...deltas(completion), ...lastEvents(completion)];
  const sent = completion.cut === undefined ? events : events.slice(0, Math.ceil(events.length / 2));
  for (const event of sent) {
    await new Promise<void>((resolve) => response.write(`data: ${event}\n\n`, () => resolve()));
  }
  if (completion.cut === 'connection') response.destroy();
  else response.end();
}

function deltas({ text, reasoning, toolCalls = [] }: Completion): readonly string[] {
  const words = (value: string | undefined): readonly string[] => value?.match(/\S+\s*/g) ?? [];
  return [
    { role: 'assistant', content: '' },
    ...words(reasoning).map((word) => ({ reasoning_content: word })),
    ...words(text).map((word) => ({ content: word })),
    ...toolCalls.flatMap(({ id, name, arguments: all }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...(all.match(/.{1,7}/gs) ?? []).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ].map((delta) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
}

function lastEvents(completion: Completion): readonly string[] {
  const end = chunk({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(completion) }] });
  return [end, chunk({ choices: [], usage: completion.usage ?? usualUsage }), '[DONE]'];
}

function chunk(fields: object): string {
  return JSON.stringify({ ...base, object: 'chat.completion.chunk', ...fields });
}
