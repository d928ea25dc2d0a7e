import type { Clock } from '../port/clock.js';
import type { ProviderLimits } from '../port/provider-gate.js';
import type { StoreEngine } from '../store/engine-options.js';
import type { PayloadCodec } from '../store/payload.js';
import type { DriverName } from './driver/driver.js';

/** Options of the engine on a SQLite file. */
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
  /** Limits for calls of models, by provider, within this process. A provider that asks one run to wait is left alone by all of them. */
  readonly providerLimits?: ProviderLimits;
  /** The clock of tests, such as `simulatedClock()`; the one of the system unless given. */
  readonly clock?: Clock;
}

/** An engine on one SQLite file, with what only a file can do. An erasure also clears free space in the file and its log. */
export interface SqliteEngine extends StoreEngine {
  /** Writes a copy to a new file while runs continue. */
  backup(file: string): Promise<void>;
}
