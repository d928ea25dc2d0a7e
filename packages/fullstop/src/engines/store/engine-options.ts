import type { Engine } from '../port/engine.js';
import type { StoreVerification } from './operations.js';
import type { RunChanges } from './run-changes.js';
import type { RunTally, TallyOptions } from './run-tally.js';

export interface PruneOptions {
  /** Only runs that ended before this instant, in milliseconds since 1970. */
  readonly endedBefore: number;
  /** How many of the newest ended runs to keep in any case. */
  readonly keep?: number;
  /** Also remove runs whose ending could still be resumed. Runs that wait, sleep or run are never removed. */
  readonly includeOpen?: boolean;
}

/** An engine on a store that outlives the process, with what only such a store can do. */
export interface StoreEngine extends Engine {
  /** Removes runs that ended long ago and returns their number. Notices that are not delivered yet keep a run. */
  prune(options: PruneOptions): Promise<number>;
  /**
   * Removes one run with everything that is known of it. Only a tombstone is left, which `verify` reports.
   * `lingering` when that was done, but someone who began to read before keeps the text: it is gone once they have
   * ended and the store is erased from again, pruned, or closed by everyone.
   */
  erase(runId: string, options?: { readonly by?: string }): Promise<'erased' | 'lingering' | 'running' | 'unknown'>;
  /** Counts runs by how they ended, with what that cost. */
  tally(options?: TallyOptions): Promise<RunTally>;
  /**
   * The runs that got entries since the place of an earlier answer, at most 1000; without one, only the place. Whoever follows all runs
   * asks this again and again: it costs the same however many runs there are.
   */
  changes(after?: number): Promise<RunChanges>;
  /** Checks the store itself, and returns what is wrong with it. Reads all of it. */
  check(): Promise<readonly string[]>;
  /** Checks the chain of a journal and the tables beside it; with a head hash from an envelope, proves it. */
  verify(runId: string, head?: string): Promise<StoreVerification>;
}
