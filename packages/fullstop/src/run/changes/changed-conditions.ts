import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { StopCondition } from '../../stop/condition.js';
import { parseStopConditions } from '../../stop/condition-json.js';
import { hardLimits } from '../../stop/hard-limits.js';
import { mergeConditions } from '../../stop/resume-conditions.js';
import type { LimitChange, RunLimits } from '../limits.js';
import { type JournalledChanges, readChanges } from './resume-changes.js';

/** The conditions that hold with a change. Custom ones are found by name among those that the program knows. */
export function changeConditions(
  old: readonly StopCondition<string>[],
  { stopWhen = [], without = [] }: Pick<JournalledChanges, 'stopWhen' | 'without'>,
  custom: readonly StopCondition<string>[],
): readonly StopCondition<string>[] {
  return mergeConditions(old, { stopWhen: parseStopConditions(stopWhen, { custom }), without });
}

/** The conditions that hold after all resumes of a journal, for the run itself or for the agent at a path. */
export function conditionsAfter(
  first: readonly StopCondition<string>[],
  journal: readonly JournalEntry[],
  custom: readonly StopCondition<string>[],
  path = '',
): readonly StopCondition<string>[] {
  let conditions = first;
  for (const entry of journal) {
    if (entry.type === 'segment_opened')
      conditions = changeConditions(conditions, readChanges(entry.data.options ?? {}, path), custom);
  }
  return conditions;
}

/** The budgets of conditions that the run itself enforces, in flight too. */
export function limitsOf(conditions: readonly StopCondition<string>[]): RunLimits {
  return hardLimits(conditions);
}

/** The same as a change: what is not limited any more is taken away. */
export function limitChange(conditions: readonly StopCondition<string>[]): LimitChange {
  const { timeMs = null, tokens = null, costUsd = null } = limitsOf(conditions);
  return { timeMs, tokens, costUsd };
}
