import type { Clock } from '../port/clock.js';
import type { Engine } from '../port/engine.js';
import type { PayloadCodec } from './core/payload.js';
import type { DriverName } from './driver/driver.js';
import type { StoreVerification } from './operations.js';
import type { RunChanges } from './run-changes.js';
import type { RunTally, TallyOptions } from './run-tally.js';

export interface SqliteEngineOptions {
  /** Which SQLite to use: libsql if it is installed, else node:sqlite, unless one is named. */
  readonly driver?: DriverName;
  /**
   * Keeps the disk from holding up the event loop: the file is used from a thread of its own. Not together with a codec.
   * Unless given, that begins with the first worker that executes several runs at once.
   */
  readonly thread?: boolean;
  /** Changes what is stored on its way into the file and back, for instance to encrypt it. */
  readonly codec?: PayloadCodec;
  /** How long another process may be silent before its runs are taken over; 10,000 unless given. A dead one on this machine is seen at once. */
  readonly leaseMs?: number;
  /** How often to look for what other processes did to the file; 100 unless given. */
  readonly pollMs?: number;
  /** How long to wait for another process that writes; 5,000 unless given. */
  readonly busyTimeoutMs?: number;
  /** Only reads: the file stays as it is, and may lie where this user may not write. It must exist. */
  readonly readOnly?: boolean;
  readonly clock?: Clock;
}

export interface PruneOptions {
  /** Only runs that ended before this instant, in milliseconds since 1970. */
  readonly endedBefore: number;
  /** How many of the newest ended runs to keep in any case. */
  readonly keep?: number;
  /** Also remove runs whose ending could still be resumed. Runs that wait, sleep or run are never removed. */
  readonly includeOpen?: boolean;
}

/** An engine on one SQLite file, with what only a file can do. */
export interface SqliteEngine extends Engine {
  /** Writes a copy to a new file while runs continue. */
  backup(file: string): Promise<void>;
  /** Removes runs that ended long ago and returns their number. Notices that are not delivered yet keep a run. */
  prune(options: PruneOptions): Promise<number>;
  /**
   * Removes one run with everything that is known of it, also from free space in the file. Only a tombstone is left, which `verify` reports.
   * `lingering` when that was done, but someone who began to read before keeps the text in the file or its log: it is gone once they have
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
  /** Checks the file itself, its pages and indexes, and returns what is wrong with it. Reads all of it. */
  check(): Promise<readonly string[]>;
  /** Checks the chain of a journal and the tables beside it; with a head hash from an envelope, proves it. */
  verify(runId: string, head?: string): Promise<StoreVerification>;
}
