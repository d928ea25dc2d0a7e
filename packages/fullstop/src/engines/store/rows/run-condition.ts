import type { RunFilter } from '../../port/engine.js';
import { placeOf } from '../../port/list-cursor.js';
import { type PayloadCodec, plainText } from '../payload.js';

/** The condition on runs that a filter asks for, with its values. */
export interface RunCondition {
  /** Empty where every run is asked for. */
  readonly where: string;
  readonly values: readonly (number | string)[];
}

/** The parts of a condition that databases word in their own way. */
export interface ConditionWords {
  /** True for runs that wait for a person; an index may be made for just these words. */
  readonly isPaused: string;
  /** True where a column has the text `?`, in small letters. */
  mentions(column: string): string;
  /** The place of a value, counted from 1. */
  placeholder(ordinal: number): string;
}

export interface ConditionParts {
  readonly filter: RunFilter & { readonly now: number };
  /** Summaries can be searched where they are stored as plain text. */
  readonly codec: PayloadCodec;
  readonly words: ConditionWords;
}

/** `shownState` in the words of the store: a run that nobody has woken although its time has come. */
const isDue = "state = 'parked' AND ending_seq IS NULL AND wake_at IS NOT NULL AND wake_at <= ?";

/** Each filter that is given narrows the runs. */
export function makeRunCondition({ filter, codec, words }: ConditionParts): RunCondition {
  const conditions: string[] = [];
  const values: (number | string)[] = [];
  const narrow = (condition: string, ...given: readonly (number | string | undefined)[]): void => {
    const known = given.filter((value) => value !== undefined);
    if (known.length < given.length) return;
    let ordinal = values.length;
    conditions.push(
      condition.replaceAll('?', () => {
        ordinal += 1;
        return words.placeholder(ordinal);
      }),
    );
    values.push(...known);
  };
  narrow('name = ?', filter.name);
  if (filter.state === 'ready') narrow(`(state = 'ready' OR (${isDue}))`, filter.now);
  else if (filter.state === 'parked') narrow(`state = 'parked' AND NOT (${isDue})`, filter.now);
  else narrow('state = ?', filter.state);
  narrow('kind = ?', filter.kind);
  if (filter.category === 'paused') narrow(words.isPaused);
  else narrow('category = ?', filter.category);
  narrow('outcome = ?', filter.outcome);
  narrow('parent_run = ?', filter.parentRunId);
  narrow('conversation = ?', filter.conversation);
  // Every id with that beginning is below the beginning followed by the last of all characters.
  narrow('run_id >= ? AND run_id < ?', filter.idPrefix, filter.idPrefix && `${filter.idPrefix}\u{10ffff}`);
  if (filter.roots === true) narrow('parent_run IS NULL');
  const text = filter.text?.toLowerCase();
  const searched = ['run_id', 'name', 'kind', ...(codec === plainText ? ['summary'] : [])];
  narrow(`(${searched.map((column) => words.mentions(column)).join(' OR ')})`, ...searched.map(() => text));
  narrow('started_at > ?', filter.startedAfter);
  narrow('started_at < ?', filter.startedBefore);
  if (filter.cursor !== undefined) {
    const { startedAt, runId } = placeOf(filter.cursor);
    narrow('(started_at, run_id) < (?, ?)', startedAt, runId);
  }
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
