import type { StepOutcome } from '../../engines/port/journal-entry.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { lastOf } from '../replay/replay.js';
import type { Execution } from '../segment/execution.js';
import { replayInstead } from '../segment/replay-instead.js';
import { normalise } from './normalise.js';
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
  const { state, journal, delivery, rest } = execution;
  const ordinal = unit.nextOrdinal++;
  const recorded = lastOf(journal.slot(unit.scope, ordinal, key), 'recorded');
  if (state.isOverFor(unit)) return waitForever();
  if (recorded !== undefined) {
    await delivery.reserve(recorded.seq)();
    if (state.isOverFor(unit)) return waitForever();
    unit.see(recorded.at);
    seen?.(recorded.seq, recorded.at);
    return resultOf(key, recorded.data);
  }
  rest.begin(unit);
  try {
    const outcome = journal.seal(await outcomeOf(callback));
    if (state.isOverFor(unit)) return waitForever();
    // Not committed: it shares the next commit, and is asked again only if nothing later was journalled.
    const at = journal.append<'recorded'>({ type: 'recorded', scope: unit.scope, ordinal, key, data: outcome });
    const { lastSeq } = journal;
    seen?.(lastSeq, at);
    const turn = seen === undefined ? delivery.reserve(lastSeq) : delivery.reserveForFold(lastSeq);
    if (await replayInstead(execution, 1)) return waitForever();
    if (turn !== undefined) await turn();
    if (state.isOverFor(unit)) return waitForever();
    unit.see(at);
    return resultOf(key, outcome);
  } finally {
    rest.done(unit);
  }
}

async function outcomeOf(callback: () => unknown): Promise<StepOutcome> {
  try {
    const value = normalise(await callback());
    return { ok: true, attempts: 1, ...(value !== undefined && { value }) };
  } catch (error) {
    return { ok: false, error: toErrorData(error), attempts: 1 };
  }
}
