import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { LimitChange, Limits } from '../../run/limits.js';
import type { StopCondition } from '../../stop/condition.js';
import { parseStopConditions, stopConditionsToJson } from '../../stop/condition-json.js';
import { hardLimits } from '../../stop/hard-limits.js';
import { mergeConditions } from '../../stop/resume-conditions.js';
import { isObject, type JsonObject } from '../../termination/json.js';

/** The changes of a resume, as they are in the journal. */
export interface AgentChanges {
  readonly stopWhen?: readonly JsonObject[];
  readonly without?: readonly string[];
  readonly guidance?: string;
  /** The path of the agent that is meant, if it is not the run itself. */
  readonly at?: string;
}

interface Change {
  readonly stopWhen?: readonly StopCondition<string>[] | undefined;
  readonly without?: readonly string[] | undefined;
  readonly guidance?: string | undefined;
}

/** Writes a change; the code of custom conditions is not in it. */
export function changesToJson({ stopWhen, without, guidance }: Change): JsonObject {
  return {
    ...(stopWhen !== undefined && { stopWhen: stopConditionsToJson(stopWhen) }),
    ...(without !== undefined && { without }),
    ...(guidance !== undefined && { guidance }),
  };
}

/** The changes for an agent in the entry that opens a segment. */
export function changesIn(options: JsonObject): AgentChanges {
  return isObject(options['changes']) ? (options['changes'] as AgentChanges) : {};
}

/** The conditions that hold with a change. Custom ones are found by name among those that the program knows. */
export function withChanges(
  old: readonly StopCondition<string>[],
  { stopWhen = [], without = [] }: AgentChanges,
  custom: readonly StopCondition<string>[],
): readonly StopCondition<string>[] {
  return mergeConditions(old, { stopWhen: parseStopConditions(stopWhen, { custom }), without });
}

/** The conditions that hold after all resumes of a journal. */
export function conditionsAfter(
  first: readonly StopCondition<string>[],
  journal: readonly JournalEntry[],
  custom: readonly StopCondition<string>[],
): readonly StopCondition<string>[] {
  let conditions = first;
  for (const entry of journal) {
    if (entry.type === 'segment_opened')
      conditions = withChanges(conditions, changesIn(entry.data.options ?? {}), custom);
  }
  return conditions;
}

/** The budgets of conditions that the run itself enforces, in flight too. */
export function limitsOf(conditions: readonly StopCondition<string>[]): Limits {
  return hardLimits(conditions);
}

/** The same as a change: what is not limited any more is taken away. */
export function limitChange(conditions: readonly StopCondition<string>[]): LimitChange {
  const { timeMs = null, tokens = null, costUsd = null } = limitsOf(conditions);
  return { timeMs, tokens, costUsd };
}
