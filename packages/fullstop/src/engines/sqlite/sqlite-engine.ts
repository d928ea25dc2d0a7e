import { resolve } from 'node:path';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { guardEngineWith } from '../door/engine-door.js';
import { timerMilliseconds } from '../port/check-number.js';
import { type Clock, systemClock } from '../port/clock.js';
import { host } from '../port/host.js';
import { processSharing } from '../sharing/process-sharing.js';
import { makeStoreEngine } from '../store/make-store-engine.js';
import type { Owner, Store } from '../store/operations.js';
import { StoreCore } from './core/store-core.js';
import { findDriver } from './driver/driver.js';
import { ownMark } from './liveness.js';
import type { SqliteEngine, SqliteEngineOptions } from './options.js';
import { sqliteDoor } from './sqlite-door.js';
import { movableStore, threadStore } from './thread-store.js';

/** Keeps runs in one SQLite file: durable, for several processes on one machine, without a server. */
export function sqliteEngine(file: string, options: SqliteEngineOptions = {}): SqliteEngine {
  const checked = checkOptions(file, options);
  const { clock, leaseMs, pollMs } = checked;
  const store = openStore(file, checked);
  const owner: Owner = { id: `${process.pid}_${host.crypto.randomUUID()}`, ...ownMark() };
  const { engine, commits } = makeStoreEngine({
    name: 'sqlite',
    store,
    clock,
    owner,
    encoded: options.codec !== undefined,
    leaseMs,
    pollMs,
    // Many runs at once keep the event loop busy enough without the disk.
    onWorker: (concurrency) => {
      if (concurrency > 1) store.moveToThread?.();
    },
  });
  const backup = async (target: string): Promise<void> => {
    await commits.ask('backup', { file: resolve(target) });
  };
  const sharing = processSharing('sqliteEngine', checked);
  return guardEngineWith({ ...engine, ...sharing, backup }, sqliteDoor);
}

interface OpenStore extends Store {
  /** Absent where that is settled. */
  moveToThread?(): void;
}

interface CheckedOptions extends SqliteEngineOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly busyTimeoutMs: number;
}

function checkOptions(file: string, options: SqliteEngineOptions): CheckedOptions {
  if (typeof file !== 'string' || file === '' || file === ':memory:')
    throw new FullstopError(
      'INVALID_OPTION',
      `sqliteEngine: file is ${found(file)}; it must be the path of a file. Without one, use memoryEngine().`,
    );
  const { clock = systemClock, leaseMs = 10_000, pollMs = 100, busyTimeoutMs = 5000 } = options;
  timerMilliseconds(leaseMs, 'sqliteEngine: leaseMs');
  timerMilliseconds(pollMs, 'sqliteEngine: pollMs');
  timerMilliseconds(busyTimeoutMs, 'sqliteEngine: busyTimeoutMs', 0);
  return { ...options, clock, leaseMs, pollMs, busyTimeoutMs };
}

function openStore(
  path: string,
  { clock, driver: wanted, codec, thread, busyTimeoutMs, readOnly = false }: CheckedOptions,
): OpenStore {
  if (thread === true && codec !== undefined) {
    throw new FullstopError(
      'INVALID_OPTION',
      'The SQLite engine cannot use a codec in a thread of its own: functions do not cross to it. Leave out thread or codec.',
    );
  }
  const driver = findDriver(wanted);
  const file = resolve(path);
  const givenTime = clock.monotonic !== undefined && clock !== systemClock;
  const common = { file, busyTimeoutMs, readOnly, givenTime };
  const core = new StoreCore({ driver, ...common, ...(codec !== undefined && { codec }) });
  const data = { driver: driver.name, ...common };
  if (thread === undefined && codec === undefined) return movableStore(core, data);
  if (thread !== true) return core;
  // Opened here first, so that a file that cannot be used is refused at once.
  core.close();
  return threadStore(data);
}
