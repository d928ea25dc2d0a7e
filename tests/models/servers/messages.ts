import { type Answer, type Failure, type Fields, listOf, type Protocol, piecesOf, wordsOf } from './reply.js';

const base = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test' };
const usualUsage = { input_tokens: 12, output_tokens: 5 };

/** The messages of Anthropic. */
export const messages: Protocol = {
  path: '/v1/messages',
  problemOf,
  whole(answer) {
    const content = blocksOf(answer).map(({ whole }) => whole);
    return { ...base, content, stop_reason: stopOf(answer), stop_sequence: null, usage: answer.usage ?? usualUsage };
  },
  frames(answer) {
    const usage = answer.usage ?? usualUsage;
    const start = { type: 'message_start', message: { ...base, content: [], stop_reason: null, usage } };
    const blocks = blocksOf(answer).flatMap(({ first, deltas }, index) => [
      { type: 'content_block_start', index, content_block: first },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]);
    const delta = { stop_reason: stopOf(answer), stop_sequence: null };
    const end = [{ type: 'message_delta', delta, usage }, { type: 'message_stop' }];
    return { content: [start, { type: 'ping' }, ...blocks].map(frame), end: end.map(frame) };
  },
  failure: errorOf,
  failureFrame: (failure) => frame(errorOf(failure)),
};

function frame(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Anything with a type. */
type Event = Fields & { readonly type: string };

function errorOf({ status, message, code }: Failure): Event {
  const error = { type: code ?? types.get(status) ?? 'invalid_request_error', message };
  return { type: 'error', error, request_id: 'req_body' };
}

const types: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [529, 'overloaded_error'],
]);

const stops: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
  tool_calls: 'tool_use',
};

function stopOf({ finish, toolCalls, refusal }: Answer): string | null {
  if (finish === 'null') return null;
  const word = finish ?? (toolCalls === undefined ? 'stop' : 'tool_calls');
  return refusal === undefined ? (stops[word] ?? word) : 'refusal';
}

interface Block {
  readonly whole: object;
  readonly first: object;
  readonly deltas: readonly object[];
}

function blocksOf({ text, reasoning, signature = 'unsigned', refusal, toolCalls = [] }: Answer): readonly Block[] {
  const said = text ?? refusal;
  const thinking: Block = {
    whole: { type: 'thinking', thinking: reasoning, signature },
    first: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...wordsOf(reasoning).map((word) => ({ type: 'thinking_delta', thinking: word })),
      { type: 'signature_delta', signature },
    ],
  };
  const spoken: Block = {
    whole: { type: 'text', text: said },
    first: { type: 'text', text: '' },
    deltas: wordsOf(said).map((word) => ({ type: 'text_delta', text: word })),
  };
  return [...(reasoning === undefined ? [] : [thinking]), ...(said ? [spoken] : []), ...toolCalls.map(callBlock)];
}

/** A whole answer has arguments that Anthropic has read; only a stream shows what the model wrote. */
function callBlock({ id, name, arguments: text }: NonNullable<Answer['toolCalls']>[number]): Block {
  const call = { type: 'tool_use', id, name };
  return {
    whole: { ...call, input: parse(text) },
    first: { ...call, input: {} },
    deltas: piecesOf(text).map((part) => ({ type: 'input_json_delta', partial_json: part })),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return {};
  }
}

/** The rules of Anthropic for a conversation. */
function problemOf({ messages: given, max_tokens: most }: Fields): string | undefined {
  if (typeof most !== 'number') return 'max_tokens: Field required';
  const list = listOf(given);
  if (list[0]?.['role'] !== 'user') return 'messages: first message must use the "user" role';
  let open: ReadonlySet<unknown> = new Set();
  for (const [index, { role, content }] of list.entries()) {
    const blocks = listOf(content);
    const wrong = blocks.map(problemOfBlock).find((problem) => problem !== undefined);
    if (wrong !== undefined) return `messages.${index}.content: ${wrong}`;
    const results = idsOf(blocks, 'tool_result', 'tool_use_id');
    if (results.some((id) => !open.has(id))) return `messages.${index}: unexpected tool_use_id in tool_result blocks`;
    if (new Set(results).size < open.size)
      return `messages.${index}: tool_use ids were found without tool_result blocks immediately after`;
    if (results.length > 0 && blocks[0]?.['type'] !== 'tool_result')
      return `messages.${index}: results must come first`;
    open = new Set(role === 'assistant' ? idsOf(blocks, 'tool_use', 'id') : []);
  }
  return open.size > 0 ? 'tool_use ids were found without tool_result blocks immediately after' : undefined;
}

function idsOf(blocks: readonly Fields[], type: string, key: string): readonly unknown[] {
  return blocks.filter((block) => block['type'] === type).map((block) => block[key]);
}

function problemOfBlock(block: Fields): string | undefined {
  const { type, text, input, signature } = block;
  if (type === 'text' && (typeof text !== 'string' || text.trim() === ''))
    return 'text content blocks must contain non-whitespace text';
  if (type === 'thinking' && (typeof signature !== 'string' || signature === '')) return 'signature: Field required';
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return type === 'tool_use' && !isObject ? 'tool_use.input: Input should be a valid dictionary' : undefined;
}
