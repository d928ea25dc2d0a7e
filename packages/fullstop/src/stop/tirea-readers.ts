import { found } from '../termination/check.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { JsonObject } from '../termination/json.js';
import type { StopCondition } from './condition.js';
import type { ConditionReader, DeclarativeKind } from './condition-readers.js';
import { consecutiveErrors } from './conditions/consecutive-errors.js';
import { contentMatch } from './conditions/content-match.js';
import { loopDetection } from './conditions/loop-detection.js';
import { maxIterations } from './conditions/max-iterations.js';
import { stopOnTool } from './conditions/stop-on-tool.js';
import { timeout } from './conditions/timeout.js';
import { tokenBudget } from './conditions/token-budget.js';

/** How 0 seconds are read, in milliseconds: used up before the first call, or at the latest with it. */
export const noTime = 0.001;

type Condition = StopCondition<DeclarativeKind> | undefined;

/**
 * Tirea's seven conditions, each with one field, by the rules of its first two generations: 0 is no limit for tokens and
 * errors, but stops the run at the first evaluation for rounds and time.
 */
const readTypes = (): readonly (readonly [string, ConditionReader])[] => [
  // It is evaluated only after a round, where a limit of 0 and one of 1 are both reached.
  ['max_rounds', counted('rounds', (rounds) => maxIterations(Math.max(rounds, 1), { unit: 'round' }))],
  ['timeout', counted('seconds', (seconds) => timeout({ run: seconds === 0 ? noTime : seconds * 1000 }))],
  ['token_budget', counted('max_total', (total) => (total === 0 ? undefined : tokenBudget({ total })))],
  ['consecutive_errors', counted('max', (limit) => (limit === 0 ? undefined : consecutiveErrors(limit)))],
  // No tool has an empty name, and an empty pattern never fires there, though every text contains it.
  ['stop_on_tool', worded('tool_name', (tool) => (tool === '' ? undefined : stopOnTool(tool)))],
  ['content_match', worded('pattern', (text) => (text === '' ? undefined : contentMatch(text)))],
  // Any two rounds next to each other with the same tools fire, so the first such pair does, whatever the window.
  ['loop_detection', counted('window', () => loopDetection({ repeats: 2, window: 1, compare: 'names' }))],
];

let readers: ReadonlyMap<string, ConditionReader> | undefined;

/** Made with the first condition that is read. */
export function tireaReaders(): ReadonlyMap<string, ConditionReader> {
  readers ??= new Map(readTypes().map(([type, reader]) => [type, rememberSource(type, reader)]));
  return readers;
}

/** Several shapes of Tirea mean one condition, such as 0 rounds and 1: each is written back as it was read. */
const sources = new WeakMap<object, JsonObject>();

/** The shape of Tirea that a condition was read from; undefined for conditions made in any other way. */
export function tireaSource(condition: StopCondition<string>): JsonObject | undefined {
  return sources.get(condition);
}

function rememberSource(type: string, reader: ConditionReader): ConditionReader {
  return {
    fields: reader.fields,
    read(fields) {
      const condition = reader.read(fields);
      if (condition !== undefined) sources.set(condition, { type, ...fields } as JsonObject);
      return condition;
    },
  };
}

function counted(field: string, make: (value: number) => Condition): ConditionReader {
  const accepts = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  return oneField({ field, expected: 'a whole number of 0 or more', accepts }, make);
}

function worded(field: string, make: (value: string) => Condition): ConditionReader {
  return oneField({ field, expected: 'a string', accepts: (value) => typeof value === 'string' }, make);
}

interface Field {
  readonly field: string;
  readonly expected: string;
  accepts(value: unknown): boolean;
}

function oneField<TValue>({ field, expected, accepts }: Field, make: (value: TValue) => Condition): ConditionReader {
  return {
    fields: [field],
    read(fields) {
      const value = fields[field];
      if (accepts(value)) return make(value as TValue);
      const code = value === undefined ? 'missing' : 'invalid';
      const message = `${code === 'missing' ? 'missing' : `found ${found(value)}`}, expected ${expected}`;
      throw new FullstopError('INVALID_OPTION', `${field}: ${message}`, { issues: [{ code, path: field, message }] });
    },
  };
}
