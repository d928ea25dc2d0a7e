import { errorOf } from './chat-completions.js';
import { type Answer, type Fields, listOf, type Protocol, piecesOf, wordsOf } from './reply.js';

const base = { id: 'resp_1', object: 'response', created_at: 1_772_366_400, model: 'test-model-2026' };
const usualUsage = { input_tokens: 12, output_tokens: 5, total_tokens: 17 };

/** OpenAI's responses. */
export const responses: Protocol = {
  path: '/v1/responses',
  problemOf,
  whole(answer) {
    return { ...closing(answer), output: itemsOf(answer).map(({ whole }) => whole) };
  },
  frames(answer) {
    const items = itemsOf(answer).flatMap(({ whole, first, deltas }, index) => [
      { type: 'response.output_item.added', output_index: index, item: first },
      ...deltas.map((delta) => ({ output_index: index, ...delta })),
      { type: 'response.output_item.done', output_index: index, item: whole },
    ]);
    const created = { type: 'response.created', response: { ...base, status: 'in_progress' } };
    const response = closing(answer);
    const last = {
      type: response.incomplete_details === null ? 'response.completed' : 'response.incomplete',
      response,
    };
    return { content: [created, ...items].map(frame), end: [frame(last)] };
  },
  failure: errorOf,
  failureFrame({ message, code = 'server_error' }) {
    const response = { ...base, status: 'failed', error: { code, message }, incomplete_details: null };
    return frame({ type: 'response.failed', sequence_number: 9, response });
  },
};

/** Anything with a type. */
type Event = Fields & { readonly type: string };

function frame(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const reasons: Readonly<Record<string, string>> = { length: 'max_output_tokens' };

function closing({
  finish = 'stop',
  usage = usualUsage,
}: Answer): Fields & { readonly incomplete_details: object | null } {
  const isComplete = finish === 'stop' || finish === 'tool_calls' || finish === 'null';
  const incomplete_details = isComplete ? null : { reason: reasons[finish] ?? finish };
  return { ...base, status: isComplete ? 'completed' : 'incomplete', incomplete_details, usage, error: null };
}

interface Item {
  readonly whole: object;
  readonly first: object;
  readonly deltas: readonly Event[];
}

function itemsOf({ text, refusal, reasoning, signature, toolCalls = [] }: Answer): readonly Item[] {
  const thought = { type: 'reasoning', id: 'rs_1', encrypted_content: signature ?? null };
  const place = { item_id: 'rs_1', summary_index: 0 };
  const thinking: Item = {
    whole: { ...thought, summary: [{ type: 'summary_text', text: reasoning }] },
    first: { ...thought, summary: [] },
    deltas: [
      { type: 'response.reasoning_summary_part.added', ...place },
      ...wordsOf(reasoning).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
      { type: 'response.reasoning_summary_part.done', ...place },
    ],
  };
  return [
    ...(reasoning === undefined ? [] : [thinking]),
    ...(text || refusal !== undefined ? [messageItem(text, refusal)] : []),
    ...toolCalls.map(callItem),
  ];
}

function messageItem(text: string | undefined, refusal: string | undefined): Item {
  const message = { type: 'message', id: 'item_1', role: 'assistant', status: 'completed' };
  const content = refusal === undefined ? { type: 'output_text', text, annotations: [] } : { type: 'refusal', refusal };
  const type = refusal === undefined ? 'response.output_text.delta' : 'response.refusal.delta';
  const deltas = wordsOf(refusal ?? text).map((delta) => ({ type, item_id: 'item_1', content_index: 0, delta }));
  return { whole: { ...message, content: [content] }, first: { ...message, content: [] }, deltas };
}

function callItem({ id, name, arguments: text }: NonNullable<Answer['toolCalls']>[number]): Item {
  const call = { type: 'function_call', id: `fc_${id}`, call_id: id, name, status: 'completed' };
  const deltas = piecesOf(text).map((delta) => ({
    type: 'response.function_call_arguments.delta',
    item_id: `fc_${id}`,
    delta,
  }));
  return { whole: { ...call, arguments: text }, first: { ...call, arguments: '' }, deltas };
}

/** OpenAI refuses results without their calls, calls without their results, and calls torn from the thoughts that led to them. */
function problemOf({ input }: Fields): string | undefined {
  const items = listOf(input);
  if (items.length === 0) return "Missing required parameter: 'input'.";
  const calls = new Set<unknown>();
  const results = new Set<unknown>();
  for (const item of items) {
    const { type, id, call_id: call } = item;
    // A reference to an item that this server keeps stands for the item.
    if (type === 'function_call') calls.add(call);
    if (type === 'item_reference' && String(id).startsWith('fc_')) calls.add(String(id).slice(3));
    if (type === 'function_call_output' && !calls.has(call))
      return `No tool call found for function call output ${call}.`;
    if (type === 'function_call_output') results.add(call);
  }
  const missing = [...calls].filter((call) => !results.has(call));
  return missing.length > 0 ? `No tool output found for function call ${missing.join(', ')}.` : undefined;
}
