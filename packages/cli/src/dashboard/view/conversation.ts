import type { JsonValue } from 'fullstop';
import { isModelKey, type JournalEntry, parseCallKey, parseUsingKey } from 'fullstop/journal';
import { isObject } from '../../journal/is-object.js';
import { decisionText } from '../../why/decisions.js';
import type { RunRecord } from '../../why/explain-run.js';
import { answerParts, type MessagePart, mediaPart, textPart, valuePart } from './message-parts.js';

/** Something that was said in a run: to a model, by it, by a tool or by a person. */
export interface ConversationMessage {
  readonly seq: number;
  readonly at: number;
  /** The unit that it was said in. */
  readonly path: string;
  readonly role: 'prompt' | 'model' | 'tool' | 'person';
  /** Who speaks: the model, the tool, the person. */
  readonly who?: string;
  readonly parts: readonly MessagePart[];
}

export interface Conversation {
  /** The units in which anything was said, in order. */
  readonly units: readonly string[];
  readonly messages: readonly ConversationMessage[];
  /** The entry to continue after, where there is more. */
  readonly next?: number;
}

export interface ConversationQuery {
  /** Only what was said in this unit. */
  readonly path?: string | undefined;
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

const usualLimit = 200;

/** Reads what was said from the journal of a run. Long texts are cut, and say so. */
export function conversationOf({ journal }: Pick<RunRecord, 'journal'>, query: ConversationQuery = {}): Conversation {
  const { path, after = 0, limit = usualLimit } = query;
  const units = new Set<string>();
  const messages: ConversationMessage[] = [];
  let isCut = false;
  for (const entry of journal) {
    const told = messageIn(entry);
    if (told === undefined || told.parts.length === 0) continue;
    units.add(entry.scope);
    if (entry.seq <= after || (path !== undefined && entry.scope !== path)) continue;
    if (messages.length >= limit) isCut = true;
    else messages.push({ seq: entry.seq, at: entry.at, path: entry.scope, ...told });
  }
  const last = messages.at(-1);
  return { units: [...units], messages, ...(isCut && last !== undefined && { next: last.seq }) };
}

type Told = Pick<ConversationMessage, 'parts' | 'role' | 'who'>;

function messageIn(entry: JournalEntry): Told | undefined {
  switch (entry.type) {
    case 'run_started':
      return promptIn(entry.data.input, entry.seq);
    case 'segment_opened':
      return guidanceIn(entry);
    case 'step_ended':
    case 'recorded':
      return entry.data.ok ? stepMessage(entry, entry.data.value) : failureMessage(entry, entry.data.error.message);
    case 'request_opened': {
      const { summary, input } = entry.data.request;
      const parts = [
        ...(summary === undefined ? [] : [textPart(summary, entry.seq)]),
        ...(input === undefined ? [] : [valuePart(input, entry.seq)]),
      ];
      return { role: 'person', who: 'asked', parts };
    }
    case 'request_answered': {
      const { answer } = entry.data;
      const value = answer.value === undefined ? [] : [valuePart(answer.value, entry.seq)];
      return {
        role: 'person',
        ...(answer.by !== undefined && { who: answer.by }),
        parts: [textPart(decisionText(answer), entry.seq), ...value],
      };
    }
    default:
      return undefined;
  }
}

/** The prompt of a run that is an agent: a text or messages. The files of a workflow are no message. */
function promptIn(input: JsonValue | undefined, seq: number): Told | undefined {
  if (typeof input === 'string') return { role: 'prompt', parts: [textPart(input, seq)] };
  if (Array.isArray(input)) return { role: 'prompt', parts: input.flatMap((each) => messageParts(each, seq)) };
  if (!isObject(input) || 'source' in input) return undefined;
  const messages = input['messages'] ?? input['prompt'];
  if (messages === undefined) return undefined;
  return promptIn(messages, seq);
}

function messageParts(message: JsonValue, seq: number): readonly MessagePart[] {
  if (typeof message === 'string') return [textPart(message, seq)];
  if (!isObject(message)) return [valuePart(message, seq)];
  const { content } = message;
  if (typeof content === 'string') return [textPart(content, seq)];
  return Array.isArray(content) ? content.map((part) => mediaPart(part, seq)) : [valuePart(message, seq)];
}

function guidanceIn({ data, seq }: JournalEntry<'segment_opened'>): Told | undefined {
  const changes = data.options?.['changes'];
  const guidance = isObject(changes) ? changes['guidance'] : undefined;
  if (typeof guidance !== 'string') return undefined;
  return { role: 'person', ...(data.by !== undefined && { who: data.by }), parts: [textPart(guidance, seq)] };
}

function stepMessage({ key = '', seq }: JournalEntry, value: JsonValue | undefined): Told | undefined {
  if (isModelKey(key)) {
    const model = isObject(value) ? value['model'] : undefined;
    return { role: 'model', ...(typeof model === 'string' && { who: model }), parts: answerParts(value, seq) };
  }
  const call = parseCallKey(key);
  if (call?.effect === 'tool' || call?.effect === 'result')
    return { role: 'tool', who: call.tool, parts: resultParts(value, seq) };
  if (key === 'prompt' && isObject(value)) return promptIn(value['prompt'], seq);
  return parseUsingKey(key) === undefined ? undefined : promptIn(value, seq);
}

function failureMessage({ key = '', seq }: JournalEntry, message: string): Told | undefined {
  const call = parseCallKey(key);
  if (!isModelKey(key) && call === undefined) return undefined;
  const who = call?.tool;
  return {
    role: call === undefined ? 'model' : 'tool',
    ...(who !== undefined && { who }),
    parts: [{ type: 'error', text: message, seq }],
  };
}

/** The result of a tool as the model gets it. */
function resultParts(value: JsonValue | undefined, seq: number): readonly MessagePart[] {
  const output = isObject(value) ? value['output'] : value;
  if (!isObject(output)) return output === undefined ? [] : [valuePart(output, seq)];
  const { type, value: inner } = output;
  if (type === 'error-text' || type === 'error-json')
    return [{ type: 'error', text: typeof inner === 'string' ? inner : JSON.stringify(inner ?? null), seq }];
  if (type === 'text' && typeof inner === 'string') return [textPart(inner, seq)];
  if (type === 'content' && Array.isArray(inner)) return inner.map((part) => mediaPart(part, seq));
  return [valuePart(inner ?? output, seq)];
}
