import type { StepOutcome } from '../../engines/port/journal-entry.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { nextDelay } from '../retry.js';
import type { Execution } from '../segment/execution.js';
import type { AskedStep } from './step-call.js';
import { failedOutcome, stoppedOutcome } from './step-outcome.js';

/** The outcome of a step whose attempt failed; undefined, after a delay, when it is to be tried again; 'dropped' when its effect had not begun. */
export async function outcomeOfFailure(
  execution: Execution,
  asked: AskedStep,
  error: ErrorData,
): Promise<StepOutcome | 'dropped' | undefined> {
  const isStopped = (): boolean => asked.watch?.stopping?.stopped === true;
  if (asked.watch?.stopping?.dropped === true) return 'dropped';
  if (isStopped()) return stoppedOutcome(asked);
  const { options, attempts } = asked;
  const delay = nextDelay(options.retry, { error, attempt: attempts }, execution.settings.random());
  if (delay === undefined || !(await waitToRetry(execution, asked, delay))) return failedOutcome(error, asked);
  return isStopped() ? stoppedOutcome(asked) : undefined;
}

/** False when there is to be no further attempt, because the unit was cancelled or has ended meanwhile. */
function waitToRetry({ engine }: Execution, { unit, watch }: AskedStep, milliseconds: number): Promise<boolean> {
  const { clock } = engine;
  return new Promise((resolve) => {
    let over = false;
    const stops: (() => void)[] = [];
    const settle = (again: boolean): void => {
      over = true;
      for (const stop of stops) stop();
      resolve(again);
    };
    stops.push(unit.whenAborted(() => settle(false)));
    if (watch?.stopping !== undefined) stops.push(watch.stopping.whenStopped(() => settle(true)));
    if (!over) stops.push(clock.callAt(clock.now() + milliseconds, () => settle(true)));
  });
}
