import { type Answer, type Failure, type Fields, listOf, type Protocol, piecesOf, wordsOf } from './reply.js';

const base = { id: 'chatcmpl-1', created: 1_772_366_400, model: 'test-model-2026' };
const usualUsage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

/** OpenAI's chat completions, which most other servers speak too. */
export const chatCompletions: Protocol = {
  path: '/chat/completions',
  problemOf,
  whole(answer) {
    const { text = null, reasoning, refusal, toolCalls, usage = usualUsage } = answer;
    const message = {
      role: 'assistant',
      content: text,
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(refusal !== undefined && { refusal }),
      ...(toolCalls !== undefined && {
        tool_calls: toolCalls.map(({ id, ...call }) => ({ id, type: 'function', function: call })),
      }),
    };
    const choices = [{ index: 0, message, finish_reason: finishOf(answer) }];
    return { ...base, object: 'chat.completion', choices, usage };
  },
  frames(answer) {
    const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }] });
    const end = [finish, chunk({ choices: [], usage: answer.usage ?? usualUsage }), 'data: [DONE]\n\n'];
    return { content: deltasOf(answer), end };
  },
  failure: errorOf,
  failureFrame: (failure) => `data: ${JSON.stringify(errorOf(failure))}\n\n`,
};

/** The body of OpenAI's errors. */
export function errorOf({ status, message, code }: Failure): object {
  return { error: { message, type: typeOf(status, code), param: null, code: code ?? null } };
}

function typeOf(status: number, code: string | undefined): string {
  if (code === 'insufficient_quota') return code;
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function finishOf({ finish, toolCalls }: Answer): string | null {
  if (finish === 'null') return null;
  return finish ?? (toolCalls === undefined ? 'stop' : 'tool_calls');
}

function deltasOf({ text, reasoning, refusal, toolCalls = [] }: Answer): readonly string[] {
  return [
    { role: 'assistant', content: '' },
    ...wordsOf(reasoning).map((word) => ({ reasoning_content: word })),
    ...wordsOf(text).map((word) => ({ content: word })),
    ...wordsOf(refusal).map((word) => ({ refusal: word })),
    ...toolCalls.flatMap(({ id, name, arguments: all }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...piecesOf(all).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ].map((delta) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
}

function chunk(fields: object): string {
  return `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...fields })}\n\n`;
}

/** OpenAI refuses conversations in which calls and their results do not fit together. */
function problemOf({ messages }: Fields): string | undefined {
  const list = listOf(messages);
  if (list.length === 0) return "Invalid 'messages': empty array.";
  let open = new Set<unknown>();
  for (const { role, tool_calls: calls, tool_call_id: answered } of list) {
    if (role === 'tool') {
      if (!open.delete(answered)) return "messages with role 'tool' must be a response to a preceding 'tool_calls'.";
      continue;
    }
    if (open.size > 0) return `No tool output found for the calls ${[...open].join(', ')}.`;
    open = new Set(listOf(calls).map(({ id }) => id));
    if (open.size !== listOf(calls).length) return 'Two tool calls have the same id.';
    if (!listOf(calls).every(hasObjectArguments)) return "Invalid 'tool_calls': arguments must be an object in JSON.";
  }
  return open.size > 0 ? `No tool output found for the calls ${[...open].join(', ')}.` : undefined;
}

/** OpenAI itself takes any text; llama.cpp, vLLM and others read it for their templates, and fail. */
function hasObjectArguments(call: Fields): boolean {
  const { arguments: text } = call['function'] as Fields;
  try {
    const value: unknown = JSON.parse(text as string);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
