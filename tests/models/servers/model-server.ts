import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatCompletions } from './chat-completions.js';
import { messages } from './messages.js';
import type { Answer, Failure, Fields, Protocol, Reply } from './reply.js';
import { responses } from './responses.js';

const protocols: readonly Protocol[] = [chatCompletions, responses, messages];

export interface ModelServer {
  /** With the version at its end, as clients of OpenAI want it. */
  readonly url: string;
  /** The bodies that were sent to it. */
  readonly requests: readonly Fields[];
  /** The addresses and headers of those requests. */
  readonly calls: readonly { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
  /** How many clients went away before they had their answer. */
  abandoned(): number;
  /** How many requests are waiting for something that will never come. */
  stuck(): number;
  /** Its next replies; a request without a reply is answered with status 418. */
  reply(...replies: readonly Reply[]): void;
  /** Forgets replies that nobody asked for, and all requests. */
  reset(): void;
  close(): Promise<void>;
}

/** A server on the loopback interface that speaks to each client in the protocol of the address it asks. */
export async function startModelServer(): Promise<ModelServer> {
  const replies: Reply[] = [];
  const requests: Fields[] = [];
  const calls: { url: string; headers: IncomingMessage['headers'] }[] = [];
  const stuck = new Set<ServerResponse>();
  let abandoned = 0;
  const server = createServer((request, response) => {
    response.on('close', () => {
      stuck.delete(response);
      if (!response.writableFinished) abandoned += 1;
    });
    void read(request).then((body) => {
      requests.push(body);
      calls.push({ url: request.url ?? '', headers: request.headers });
      const path = (request.url ?? '').split('?')[0] as string;
      const protocol = protocols.find((each) => path.endsWith(each.path));
      const reply = replies.shift() ?? { status: 418, body: 'nothing to say' };
      return answer({ response, protocol, body, onStuck: () => stuck.add(response) }, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    calls,
    abandoned: () => abandoned,
    stuck: () => stuck.size,
    reply: (...more) => void replies.push(...more),
    reset() {
      for (const list of [replies, requests, calls]) list.length = 0;
      for (const response of stuck) response.destroy();
      stuck.clear();
    },
    close: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function read(request: IncomingMessage): Promise<Fields> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as Fields;
}

interface Exchange {
  readonly response: ServerResponse;
  readonly protocol: Protocol | undefined;
  readonly body: Fields;
  readonly onStuck: () => void;
}

async function answer(exchange: Exchange, reply: Reply): Promise<void> {
  const { response, protocol, body, onStuck } = exchange;
  if (protocol === undefined) return send(response, { status: 404, body: { error: { message: 'no such address' } } });
  const problem = protocol.problemOf(body);
  if (problem !== undefined) return fail(exchange, { status: 400, message: problem, code: 'invalid_request_error' });
  if ('no' in reply) {
    if (reply.no === 'answer') onStuck();
    else response.socket?.resetAndDestroy();
    return;
  }
  if ('body' in reply) return send(response, reply);
  if ('message' in reply) return fail(exchange, reply);
  if (reply.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
  if (body['stream'] === true) await stream(exchange, reply);
  else whole(exchange, reply);
}

interface Body {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

function send(response: ServerResponse, { status = 200, headers, body }: Body): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

function fail({ response, protocol }: Exchange, failure: Failure): void {
  const { status, headers = {} } = failure;
  send(response, { status, headers, body: (protocol as Protocol).failure(failure) });
}

function whole({ response, protocol, onStuck }: Exchange, given: Answer): void {
  const body = JSON.stringify((protocol as Protocol).whole(given));
  response.writeHead(200, { 'content-type': 'application/json' });
  if (given.cut === undefined) {
    response.end(body);
    return;
  }
  response.write(body.slice(0, body.length / 2), () => (given.cut === 'stall' ? onStuck() : response.destroy()));
}

async function stream({ response, protocol, onStuck }: Exchange, given: Answer): Promise<void> {
  const { frames, failureFrame } = protocol as Protocol;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { content, end } = frames(given);
  const breaks = given.breaksWith !== undefined;
  const middle = Math.max(2, Math.ceil(content.length / 2));
  await write(response, content.slice(0, middle));
  await given.heldUntil;
  if (breaks) await write(response, [failureFrame(given.breaksWith as Failure)]);
  else if (given.cut === undefined) await write(response, [...content.slice(middle), ...end]);
  if (given.cut === 'stall') onStuck();
  else if (given.cut === 'connection') response.destroy();
  else response.end();
}

async function write(response: ServerResponse, frames: readonly string[]): Promise<void> {
  for (const frame of frames) await new Promise<void>((resolve) => response.write(frame, () => resolve()));
}
