import type { Ending } from '../termination/ending.js';
import { isObject, type JsonObject } from '../termination/json.js';
import {
  bestWord,
  type Dialect,
  defineDialect,
  type ForeignPayload,
  type ForeignTermination,
  type ForeignWord,
} from './dialect.js';
import { double, int32 } from './number-type.js';
import { json, number, specialWord, text, word } from './word.js';

/** Nulls are written, as its serialiser does. */
const nulls = { absent: null } as const;

const words: readonly ForeignWord[] = [
  word('Completed', 'completed', {
    implied: { check: 'iteration' },
    // Whatever is not the end of an iteration is early there.
    fits: ({ check = 'iteration' }) => check === 'iteration',
  }),
  word('NaturalCompletion', 'natural_end'),
  word('CompletedEarlyAfterToolCall', 'completed', { implied: { check: 'tool_call' } }),
  word('MaxIterationsReached', 'max_iterations', {
    implied: { unit: 'iteration' },
    carries: { Limit: number('limit', int32), IterationsUsed: number('used', int32) },
  }),
  word('MaxToolCallsReached', 'max_tool_calls', {
    carries: { Limit: number('limit', int32), ToolCallsUsed: number('used', int32) },
  }),
  word('BudgetPressure', 'budget_pressure', {
    ...nulls,
    implied: { resource: 'tokens' },
    carries: { Threshold: number('threshold', double) },
    note: 'Whether the final iteration gave an answer is not said.',
  }),
  word('StallDetected', 'stall_detected', {
    ...nulls,
    carries: { ConsecutiveThreshold: number('consecutive', int32) },
  }),
  word('Cancelled', 'cancelled'),
  specialWord('Failed', 'failed', {
    carries: ['Exception.Message → error.message'],
    note: 'An exception has no settled JSON form there; its message is read and written.',
    write: (t) => ({ Exception: t.error?.message === undefined ? null : { Message: t.error.message } }),
    read(payload) {
      const exception = payload['Exception'];
      const message = isObject(exception) ? exception['Message'] : undefined;
      return typeof message === 'string' ? { error: { message } } : {};
    },
  }),
  word('Skipped', 'skipped', { ...nulls, carries: { Reason: text('reason') } }),
  word('Custom', 'custom', { ...nulls, carries: { Reason: text('reason'), Properties: json('properties') } }),
];

/** The case for endings without one of their own. */
const general = 'Custom';

/** The case of a built-in termination, which is its `$kind`. */
export function needlrCase(termination: Ending): string {
  return bestWord(words, termination)?.word ?? general;
}

/** Every case. */
export const needlrCases: ReadonlySet<string> = new Set(words.map((each) => each.word));

/** Needlr's StageTermination: `$kind` with the case name, PascalCase fields, nulls written. */
export const needlr: Dialect<JsonObject> = defineDialect<JsonObject>({
  name: 'needlr',
  title: 'Needlr',
  words,
  split(value) {
    if (!isObject(value) || typeof value['$kind'] !== 'string') return undefined;
    const { $kind, ...payload } = value as JsonObject;
    return { word: $kind as string, payload };
  },
  join: (name, payload) => ({ $kind: name, ...payload }),
  otherwise: (termination) => {
    const { kind, ...properties } = termination as ForeignTermination & JsonObject;
    return { $kind: general, Reason: kind, Properties: properties };
  },
  thirdParty: {
    write: (fields) => renameKeys(fields, (key) => key.charAt(0).toUpperCase() + key.slice(1)),
    read: (payload) => renameKeys(payload, (key) => key.charAt(0).toLowerCase() + key.slice(1)),
  },
});

function renameKeys(source: ForeignPayload, rename: (key: string) => string): ForeignPayload {
  return Object.fromEntries(Object.entries(source).map(([key, value]) => [rename(key), value]));
}
