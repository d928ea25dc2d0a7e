import type { Engine } from '../port/engine.js';
import type { JournalEntry } from '../port/journal-entry.js';
import type { RunBelongings, RunErasure, SealReceipt, StoredEntry, StoreVerification } from './operations.js';
import type { RunChanges } from './run-changes.js';
import type { RunTally, TallyOptions } from './tally/run-tally.js';

/** Which ended runs are removed from a store. */
export interface PruneOptions {
  /** Only runs that ended before this instant, in milliseconds since 1970. */
  readonly endedBefore: number;
  /** How many of the newest ended runs to keep in any case. */
  readonly keep?: number;
  /** Also remove runs whose ending could still be resumed. Runs that wait, sleep or run are never removed. */
  readonly includeOpen?: boolean;
}

/** Everything that a store has of a run, for another store. */
export interface RunCopy {
  /** Its journal, hashes included. */
  readonly entries: readonly JournalEntry[];
  readonly belongings: RunBelongings;
}

/** Gets the entries of a journal part by part, with their data as JSON text: whoever looks through a long journal need not parse all of it. */
export type FollowEntries = (entries: readonly StoredEntry[]) => void;

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
  /**
   * The same check with the entries that it reads, so that a long journal is read once. `follow` gets them while the rest is being read:
   * whatever it makes of them counts only if the answer is that all of it is consistent.
   */
  readVerified(runId: string, follow: FollowEntries): Promise<StoreVerification>;
  /**
   * Refuses every change from now on, for whoever has the store open too, because its runs are moved to another one. Runs that are being
   * executed are returned instead, and nothing is done.
   */
  seal(to: string): Promise<SealReceipt>;
  /** Lets a store be changed again whose runs were not moved after all. */
  unseal(): Promise<void>;
  /** Where the runs of this store were moved to, if they were. */
  movedTo(): Promise<string | undefined>;
  /** At most 1000 runs with a smaller place than this, those that were stored last first: spawned runs come before those that wait for them. */
  runIds(before?: number): Promise<readonly { readonly place: number; readonly runId: string }[]>;
  /** Everything about a run, for another store. To be asked of a sealed store, where nothing changes meanwhile. */
  copyRun(runId: string): Promise<RunCopy | undefined>;
  /** Stores a run of another store, with its hashes, the messages that it has not read and the notices that were not delivered. */
  adoptRun(copy: RunCopy): Promise<'imported' | 'exists'>;
  /** The traces of runs that were erased. */
  erasures(): Promise<readonly RunErasure[]>;
  /** Stores what another store has left of runs that were erased. */
  adoptErasures(erasures: readonly RunErasure[]): Promise<void>;
}
