import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { StopCondition } from '../stop/condition.js';
import { firesAtOnce, resetAfterResume } from '../stop/resume-conditions.js';
import { FullstopError } from '../termination/fullstop-error.js';
import { endingsOf } from './iteration.js';
import type { AgentState } from './state.js';

interface Resumption {
  readonly journal: readonly JournalEntry[];
  /** The conditions that are to hold. */
  readonly conditions: readonly StopCondition<string>[];
  readonly runId: string;
  state(): AgentState;
}

/** Refuses a resume that would stop at its first evaluation, before it has begun. */
export function refuseUnchanged({ journal, conditions, runId, state: read }: Resumption): void {
  const last = journal.at(-1);
  if (last?.type !== 'segment_ended' || last.data.envelope.category !== 'capacity') return;
  const { envelope } = last.data;
  const state = read();
  const observation = state.observations.items[state.observations.length - 1];
  if (observation === undefined) return;
  const states = resetAfterResume(conditions, state.conditions, endingsOf(state, envelope.termination));
  const [first] = firesAtOnce(conditions, states, observation);
  if (first === undefined) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${runId} would stop at once, as ${first.kind}: ${envelope.summary} Resume it with stopWhen: [a larger limit], or without: ['the condition'].`,
  );
}
