import type { RunFilter } from '../../port/engine.js';
import { placeOf } from '../../port/list-cursor.js';
import { plainText } from '../../store/payload.js';
import type { SqlValue } from '../driver/driver.js';
import { pausedCondition } from '../migrations/version-5.js';
import type { Context } from './context.js';

/** The condition on runs that a filter asks for, with its values. */
export interface RunCondition {
  readonly where: string;
  readonly values: readonly SqlValue[];
}

/** `shownState` in the words of the store: a run that nobody has woken although its time has come. */
const isDue = "state = 'parked' AND ending_seq IS NULL AND wake_at IS NOT NULL AND wake_at <= ?";

/** Each filter that is given narrows the runs. */
export function whereOf(context: Context, filter: RunFilter & { readonly now: number }): RunCondition {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const narrow = (condition: string, ...given: readonly (SqlValue | undefined)[]): void => {
    if (given.includes(undefined)) return;
    conditions.push(condition);
    values.push(...(given as readonly SqlValue[]));
  };
  narrow('name = ?', filter.name);
  if (filter.state === 'ready') narrow(`(state = 'ready' OR (${isDue}))`, filter.now);
  else if (filter.state === 'parked') narrow(`state = 'parked' AND NOT (${isDue})`, filter.now);
  else narrow('state = ?', filter.state);
  narrow('kind = ?', filter.kind);
  if (filter.category === 'paused') conditions.push(pausedCondition);
  else narrow('category = ?', filter.category);
  narrow('outcome = ?', filter.outcome);
  narrow('parent_run = ?', filter.parentRunId);
  narrow('conversation = ?', filter.conversation);
  // Every id with that beginning is below the beginning followed by the last of all characters.
  narrow('run_id >= ? AND run_id < ?', filter.idPrefix, filter.idPrefix && `${filter.idPrefix}\u{10ffff}`);
  if (filter.roots === true) conditions.push('parent_run IS NULL');
  const text = filter.text?.toLowerCase();
  const searched = ['run_id', 'name', 'kind', ...(context.codec === plainText ? ['summary'] : [])];
  const mentions = searched.map((column) => `instr(lower(${column}), ?) > 0`).join(' OR ');
  narrow(`(${mentions})`, ...searched.map(() => text));
  narrow('started_at > ?', filter.startedAfter);
  narrow('started_at < ?', filter.startedBefore);
  if (filter.cursor !== undefined) {
    const { startedAt, runId } = placeOf(filter.cursor);
    narrow('(started_at, run_id) < (?, ?)', startedAt, runId);
  }
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
