import { invalidOption } from '../../stop/check-option.js';
import { lastOf } from '../replay/replay.js';
import type { Execution } from '../segment/execution.js';
import { replayInstead } from '../segment/replay-instead.js';
import type { OutcomeWatch, Seen } from './step-call.js';
import type { Stopping } from './stopping.js';
import type { Unit } from './unit.js';
import { waitForever } from './wait-forever.js';

/** How `drive` follows a sleep. */
export interface SleepWatch extends OutcomeWatch {
  /** Notified where in the journal its end is, and when. */
  readonly seen: Seen;
  /** The batch that the sleep is stopped with. */
  readonly stopping: Stopping | undefined;
}

export interface SleepCall {
  readonly key: string;
  readonly milliseconds: number;
  /** Given by `drive`, which folds results by their place. */
  readonly watch: SleepWatch | undefined;
}

/** Sleeps until the journalled instant, or journals one and sleeps until then. */
export async function sleep(execution: Execution, unit: Unit, call: SleepCall): Promise<void> {
  const { key, milliseconds, watch } = call;
  // A clock that is asked for no instant would wait for ever.
  if (!Number.isFinite(milliseconds))
    throw invalidOption(milliseconds, { builder: `sleep(${key})`, option: 'milliseconds' }, 'a number');
  const { state, journal, delivery, rest, engine } = execution;
  const ordinal = unit.nextOrdinal++;
  const slot = journal.slot(unit.scope, ordinal, key);
  if (state.isOverFor(unit)) return waitForever();
  const ended = lastOf(slot, 'sleep_ended');
  const started = lastOf(slot, 'sleep_started');
  if (started !== undefined) unit.see(started.at);
  if (ended !== undefined) {
    watch?.found?.(ended.seq);
    await delivery.reserve(ended.seq)();
    if (state.isOverFor(unit)) return waitForever();
    unit.see(ended.at);
    watch?.seen(ended.seq, ended.at);
    return;
  }
  const refusal = state.refusalFor(unit);
  if (refusal !== undefined) throw refusal;
  const place = { scope: unit.scope, ordinal, key } as const;
  const until = started?.data.until ?? engine.clock.now() + Math.max(0, milliseconds);
  if (started === undefined) {
    rest.begin(unit);
    unit.see(journal.append<'sleep_started'>({ type: 'sleep_started', ...place, data: { until } }));
    const isKept = await journal.commit();
    rest.done(unit);
    if (!isKept) return waitForever();
  }
  await sleepUntil(execution, unit, { until, stopping: watch?.stopping });
  const at = journal.append<'sleep_ended'>({ type: 'sleep_ended', ...place, data: { until } });
  const { lastSeq } = journal;
  watch?.seen(lastSeq, at);
  const turn = watch === undefined ? delivery.reserve(lastSeq) : delivery.reserveForFold(lastSeq);
  if (await replayInstead(execution, 0)) return waitForever();
  if (turn !== undefined) await turn();
  if (state.isOverFor(unit)) return waitForever();
  unit.see(at);
}

/** Waits for an instant; a cancellation ends the wait as an error. */
function sleepUntil(
  { state, rest, engine }: Execution,
  unit: Unit,
  { until, stopping }: { readonly until: number; readonly stopping: Stopping | undefined },
): Promise<void> {
  if (stopping?.stopped === true) return waitForever();
  const endSleep = rest.beginSleep(unit, until);
  return new Promise((resolve, reject) => {
    stopping?.whenStopped(() => {
      endSleep();
      stop();
      forget();
    });
    const stop = engine.clock.callAt(until, () => {
      endSleep();
      forget();
      if (!state.isOverFor(unit)) resolve();
    });
    const forget = unit.whenAborted(() => {
      endSleep();
      stop();
      const refusal = state.refusalFor(unit);
      if (refusal !== undefined) reject(refusal);
    });
  });
}
