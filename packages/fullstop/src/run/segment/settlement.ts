import type { UnitResult } from '../run-context.js';

/** How an execution of a segment stops. */
export type Settlement =
  | { readonly type: 'ended'; readonly result: UnitResult }
  /** Every branch waits for someone outside. */
  | { readonly type: 'paused' }
  /** Nothing to do until an instant: the run is parked without an ending. */
  | { readonly type: 'parked'; readonly wakeAt: number }
  /** This process stops and leaves the run to others. */
  | { readonly type: 'released' }
  /** Another owner has the run. */
  | { readonly type: 'fenced' }
  /** Only under `alwaysReplay`: start over from the journal. */
  | { readonly type: 'replay' };
