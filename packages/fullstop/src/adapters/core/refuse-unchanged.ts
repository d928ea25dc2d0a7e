import type { Engine } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { changeConditions } from '../../run/changes/changed-conditions.js';
import { readChanges } from '../../run/changes/resume-changes.js';
import { startOfJournal } from '../../run/defined-body.js';
import { foldJournal } from '../../run/machine/fold-journal.js';
import type { StopCondition } from '../../stop/condition.js';
import { describeAtOnce } from '../../stop/describe-at-once.js';
import { firesAtOnce, resetAfterResume } from '../../stop/resume-conditions.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { ForeignMachine } from './foreign-machine.js';

interface ForeignResumption {
  readonly engine: Engine;
  readonly runId: string;
  readonly before: Envelope | undefined;
  readonly changes: JsonObject;
  readonly custom: readonly StopCondition<string>[];
  machineFor(input: JsonValue): ForeignMachine;
}

/** Refuses a resume after which the first weighing would end the run again, before anything has begun. */
export async function refuseUnchangedForeign(resumption: ForeignResumption): Promise<void> {
  const { before, engine, runId, changes, custom, machineFor } = resumption;
  if (before === undefined || before.category !== 'capacity') return;
  const journal = await engine.journal(runId);
  const { input = null, at } = startOfJournal(journal);
  const state = foldJournal(machineFor(input), { at }, journal);
  const observation = state.observations.items[state.observations.length - 1];
  if (observation === undefined) return;
  const conditions = changeConditions(state.conditions, readChanges({ changes }, ''), custom);
  const states = resetAfterResume(conditions, state.states, [before.termination, ...before.also]);
  const [first] = firesAtOnce(conditions, states, observation);
  if (first === undefined) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${runId} would stop at once, as ${first.kind}: ${describeAtOnce(first)} Resume it with stopWhen: [a larger limit], or without: ['the condition'].`,
    { details: { option: 'stopWhen', runId, summary: describeAtOnce(first) } },
  );
}
