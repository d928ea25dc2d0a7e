import { FencedError } from '../../engines/port/engine.js';
import type { CancelRequest } from '../../engines/port/journal-entry.js';
import { RunCancelled } from '../errors.js';
import type { Unit } from '../unit/unit.js';
import { engineFailure } from './engine-failures.js';
import type { Settlement } from './settlement.js';

/** How far an execution has come: under way, being cancelled or released, or settled. */
export class ExecutionState {
  /** Settles once, with the first reason to stop. */
  readonly settled: Promise<Settlement>;
  cancelRequest: CancelRequest | undefined;
  /** True while the run is being left to others: no new step begins here. */
  releasing = false;
  /** True once the execution is settled: nothing is written any more, and the body gets no further result. */
  closed = false;
  #resolve: (settlement: Settlement) => void = () => undefined;

  constructor() {
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  settle(settlement: Settlement): void {
    if (this.closed) return;
    this.closed = true;
    this.#resolve(settlement);
  }

  /** Stops for good, without a settlement if there was none. */
  close(): void {
    this.closed = true;
  }

  /** Ends the run because the engine failed, or releases it because another owner has it. */
  fail(error: unknown): void {
    if (error instanceof FencedError) this.settle({ type: 'fenced' });
    else this.settle({ type: 'ended', result: engineFailure(error) });
  }

  /** True when an operation of a unit is to get no result any more. */
  isOverFor(unit: Unit): boolean {
    return this.closed || !unit.active;
  }

  /** The error that a live operation of a cancelled run gets instead of a result. */
  refusalFor(unit: Unit): RunCancelled | undefined {
    return this.cancelRequest === undefined || unit.undoing ? undefined : new RunCancelled(this.cancelRequest);
  }
}
