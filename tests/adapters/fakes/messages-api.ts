import type { ServerResponse } from 'node:http';
import { type LocalServer, serveLocally, writeJson } from './local-server.js';

/** An answer of the fake of the Messages API. */
export interface FakeAnswer {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: object };
  /** The model's word for why it stopped. */
  readonly stop?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: { readonly type: string; readonly message: string };
  /** The tokens of the question; 40 unless given. */
  readonly inputTokens?: number;
  /** The connection breaks after a part of the answer. */
  readonly cut?: boolean;
  /** Nothing comes, until the client leaves. */
  readonly hangs?: boolean;
}

export interface FakeMessagesApi extends LocalServer {
  /** The requests for answers, in order. */
  readonly requests: readonly FakeRequest[];
}

interface FakeRequest {
  readonly messages: readonly unknown[];
  readonly stream?: boolean;
}

/** A server on this machine that speaks the protocol of the Messages API; it answers from a list, and repeats the last. */
export async function fakeMessagesApi(
  answers: readonly FakeAnswer[],
  onRequest: (number: number) => void = () => undefined,
): Promise<FakeMessagesApi> {
  const requests: FakeRequest[] = [];
  const server = await serveLocally(({ request, body, response }) => {
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
      writeJson(response, { input_tokens: 1 }, { status: request.url?.includes('count_tokens') ? 200 : 404 });
      return;
    }
    const asked = JSON.parse(body) as FakeRequest;
    requests.push(asked);
    onRequest(requests.length);
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
    answerRequest(response, asked, { answer, number: requests.length });
  });
  return { ...server, requests };
}

interface Numbered {
  readonly answer: FakeAnswer;
  readonly number: number;
}

function answerRequest(response: ServerResponse, { stream }: FakeRequest, { answer, number }: Numbered): void {
  const { status, error, hangs, headers = {} } = answer;
  if (hangs === true) return;
  if (status !== undefined) {
    const said = error ?? { type: 'api_error', message: `${status}` };
    writeJson(response, { type: 'error', error: said }, { status, headers });
    return;
  }
  const message = messageOf(answer, number);
  if (stream !== true) writeJson(response, message);
  else streamMessage(response, message, answer.cut === true);
}

type FakeMessage = ReturnType<typeof messageOf>;

function messageOf({ text, call, stop, inputTokens = 40 }: FakeAnswer, number: number) {
  const content: readonly Readonly<Record<string, unknown>>[] = [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(call === undefined ? [] : [{ type: 'tool_use', id: `toolu_${number}`, name: call.name, input: call.input }]),
  ];
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-fake-1',
    content,
    stop_reason: stop ?? (call === undefined ? 'end_turn' : 'tool_use'),
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
}

function streamMessage(response: ServerResponse, message: FakeMessage, isCut: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, value: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`);
  };
  const { content, stop_reason, usage } = message;
  send('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  for (const [index, block] of content.entries()) {
    const isText = block['type'] === 'text';
    const start = isText ? { ...block, text: '' } : { ...block, input: {} };
    send('content_block_start', { index, content_block: start });
    const delta = isText
      ? { type: 'text_delta', text: block['text'] }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
    send('content_block_delta', { index, delta });
    if (isCut) {
      response.destroy();
      return;
    }
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } });
  send('message_stop', {});
  response.end();
}
