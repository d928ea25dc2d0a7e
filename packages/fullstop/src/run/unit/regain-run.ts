import type { Execution } from '../segment/execution.js';
import type { Unit } from './unit.js';

/**
 * Waits until it is certain that this process has the run; false when the operation is over instead. A process that was frozen,
 * or kept busy for longer than its lease, may have lost the run to another one, and must not begin an effect before it knows.
 */
export async function regainRun(execution: Execution, unit: Unit, holding: Promise<void>): Promise<boolean> {
  const { session, state } = execution;
  try {
    for (let held: Promise<void> | undefined = holding; held !== undefined; held = session.hold?.()) await held;
  } catch (error) {
    state.fail(error);
  }
  return !state.isOverFor(unit);
}
