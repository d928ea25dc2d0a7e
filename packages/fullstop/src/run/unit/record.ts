import type { StepOutcome } from '../../engines/port/journal-entry.js';
import { withModelFailure } from '../../models/errors/model-failure-data.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { lastOf } from '../replay/replay.js';
import type { Execution } from '../segment/execution.js';
import { replayInstead } from '../segment/replay-instead.js';
import { normalise } from './normalise.js';
import { regainRun } from './regain-run.js';
import type { Seen } from './step-call.js';
import { resultOf } from './step-outcome.js';
import type { Unit } from './unit.js';
import { waitForever } from './wait-forever.js';

export interface RecordCall {
  readonly key: string;
  readonly callback: () => unknown;
  /** Given by `drive`, which folds results by their place. */
  readonly seen: Seen | undefined;
}

/** Returns the journalled result of a callback, or asks the callback and journals what it returns. */
export async function record(execution: Execution, unit: Unit, { key, callback, seen }: RecordCall): Promise<unknown> {
  const { state, journal, delivery, rest, settings } = execution;
  const ordinal = unit.nextOrdinal++;
  const recorded = lastOf(journal.slot(unit.scope, ordinal, key), 'recorded');
  if (state.isOverFor(unit)) return waitForever();
  if (recorded !== undefined) {
    await delivery.reserve(recorded.seq)();
    if (state.isOverFor(unit)) return waitForever();
    unit.see(recorded.at);
    seen?.(recorded.seq, recorded.at, recorded.data);
    return resultOf(key, recorded.data);
  }
  rest.begin(unit);
  try {
    const holding = execution.session.hold?.();
    if (holding !== undefined && !(await regainRun(execution, unit, holding))) return waitForever();
    let performed: StepOutcome;
    try {
      performed = recordedOutcome(await callback());
    } catch (error) {
      performed = { ok: false, error: withModelFailure(toErrorData(error), error), attempts: 1 };
    }
    const outcome = journal.seal(performed);
    if (state.isOverFor(unit)) return waitForever();
    // Not committed: it shares the next commit, and is asked again only if nothing later was journalled.
    const at = journal.append<'recorded'>({ type: 'recorded', scope: unit.scope, ordinal, key, data: outcome });
    const { lastSeq } = journal;
    seen?.(lastSeq, at, outcome);
    const turn = seen === undefined ? delivery.reserve(lastSeq) : delivery.reserveForFold(lastSeq);
    if (settings.alwaysReplay && (await replayInstead(execution, 1))) return waitForever();
    if (turn !== undefined) await turn();
    if (state.isOverFor(unit)) return waitForever();
    unit.see(at);
    return resultOf(key, outcome);
  } finally {
    rest.done(unit);
  }
}

function recordedOutcome(returned: unknown): StepOutcome {
  const value = normalise(returned);
  return value === undefined ? { ok: true, attempts: 1 } : { ok: true, attempts: 1, value };
}
