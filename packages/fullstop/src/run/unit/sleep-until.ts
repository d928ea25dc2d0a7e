import type { Execution } from '../segment/execution.js';
import { never } from './never.js';
import type { Stopping } from './stopping.js';
import type { Unit } from './unit.js';

/** Waits for an instant; a cancellation ends the wait as an error. */
export function sleepUntil(
  execution: Execution,
  unit: Unit,
  instant: number,
  stopping: Stopping | undefined,
): Promise<void> {
  if (stopping?.stopped === true) return never();
  const over = execution.beginSleep(unit, instant);
  return new Promise((resolve, reject) => {
    stopping?.whenStopped(() => {
      over();
      stop();
      forget();
    });
    const stop = execution.engine.clock.callAt(instant, () => {
      over();
      forget();
      if (!execution.closed && unit.active) resolve();
    });
    const forget = unit.whenAborted(() => {
      over();
      stop();
      const refusal = execution.refusal(unit);
      if (refusal !== undefined) reject(refusal);
    });
  });
}
