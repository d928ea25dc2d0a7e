import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { ForeignCall } from '../core/foreign-event.js';
import { toJournalJson } from '../core/journal-json.js';
import { property } from '../core/thrown-cause.js';
import type { AgentItem } from './structure.js';

/** The text of the last message of the assistant among some items. */
export function textIn(items: readonly AgentItem[]): string {
  const message = items.findLast(({ type, role }) => role === 'assistant' && (type ?? 'message') === 'message');
  return message === undefined ? '' : partsOf(message, 'output_text', 'text').join('');
}

/** The words with which the assistant refused; undefined when it did not. */
export function refusalIn(items: readonly AgentItem[]): string | undefined {
  const [first] = items.flatMap((item) => (item.role === 'assistant' ? partsOf(item, 'refusal', 'refusal') : []));
  return first;
}

function partsOf({ content }: AgentItem, type: string, name: string): readonly string[] {
  if (typeof content === 'string') return type === 'output_text' ? [content] : [];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => {
    const text = property(part, 'type') === type ? property(part, name) : undefined;
    return typeof text === 'string' ? [text] : [];
  });
}

/** True when an answer was cut off: its message is incomplete. */
export function isIncomplete(items: readonly AgentItem[]): boolean {
  return items.some(({ role, status }) => role === 'assistant' && status === 'incomplete');
}

/** The items of a conversation that are results of the calls in an answer; they are at its end. */
export function resultsOf(answer: readonly AgentItem[], items: readonly AgentItem[]): readonly AgentItem[] {
  const missing = new Set(answer.flatMap(({ callId }) => (callId === undefined ? [] : [callId])));
  const found: AgentItem[] = [];
  for (let index = items.length - 1; index >= 0 && missing.size > 0; index -= 1) {
    const item = items[index] as AgentItem;
    if (item.callId === undefined || !/_(result|output)$/.test(item.type ?? '')) continue;
    if (missing.delete(item.callId)) found.push(item);
  }
  return found.reverse();
}

/** The calls among some items that have a result there. */
export function callsIn(items: readonly AgentItem[]): readonly ForeignCall[] {
  const calls = new Map(items.flatMap((item) => (item.type === 'function_call' ? [[item.callId, item] as const] : [])));
  return items.flatMap((item) => {
    if (item.type !== 'function_call_result') return [];
    const call = calls.get(item.callId);
    const result = readOutput(item.output);
    const tool = item.name ?? call?.name ?? '';
    const failure = typeof result === 'string' ? failureIn(result) : undefined;
    const error = failure === undefined ? undefined : toErrorData(new Error(failure), { stack: false });
    return [{ tool, input: readArguments(call?.arguments), result, ...(error !== undefined && { error }) }];
  });
}

// The SDK writes the failure of a tool as the text that the model sees, and nothing else remains of it.
const failureWords = 'An error occurred while running the tool.';

function failureIn(result: string): string | undefined {
  return result.startsWith(failureWords) ? result : undefined;
}

function readOutput(output: unknown): JsonValue {
  const text = property(output, 'text');
  return property(output, 'type') === 'text' && typeof text === 'string' ? text : toJournalJson(output);
}

/** The arguments of a call; the model's own text where it is no JSON. */
export function readArguments(text: string | undefined): JsonValue {
  try {
    return JSON.parse(text ?? 'null') as JsonValue;
  } catch {
    return text ?? null;
  }
}
