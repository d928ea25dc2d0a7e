import { resolve } from 'node:path';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { guardEngineWith } from '../door/engine-door.js';
import { timerMilliseconds } from '../port/check-number.js';
import { type Clock, monotonicOf, systemClock } from '../port/clock.js';
import type { AbortSignalLike, EngineWorker, RunnableDefinition, WorkerOptions } from '../port/engine.js';
import type { Envelope } from '../port/envelope.js';
import { host } from '../port/host.js';
import { workerConcurrency } from '../port/worker-concurrency.js';
import { isReady } from '../rules/waking.js';
import { Commits } from './commits.js';
import { StoreCore } from './core/store-core.js';
import { damagedError } from './damaged-error.js';
import { findDriver } from './driver/driver.js';
import { readsOf } from './engine-reads.js';
import { runsOf } from './engine-runs.js';
import { toEnvelope } from './entry-row.js';
import { Lease } from './lease.js';
import { ownMark } from './liveness.js';
import type { Owner, RunStatus, Store } from './operations.js';
import type { PruneOptions, SqliteEngine, SqliteEngineOptions } from './options.js';
import { sqliteDoor } from './sqlite-door.js';
import { movableStore, threadStore } from './thread-store.js';
import { Watch } from './watch.js';
import { SqliteWorker } from './worker.js';

/** How many runs a prune removes with one commit, so that others get their turn in between. */
const pruneAtOnce = 100;

/** Keeps runs in one SQLite file: durable, for several processes on one machine, without a server. */
export function sqliteEngine(file: string, options: SqliteEngineOptions = {}): SqliteEngine {
  const checked = checkOptions(file, options);
  const { clock, leaseMs, pollMs } = checked;
  const store = openStore(file, checked);
  const commits = new Commits(store, clock);
  const owner: Owner = { id: `${process.pid}_${host.crypto.randomUUID()}`, ...ownMark() };
  const monotonic = monotonicOf(clock);
  const lease = new Lease({ owner, leaseMs, now: () => clock.now(), monotonic });
  const encoded = options.codec !== undefined;
  const watch = new Watch({ commits, owner, lease, leaseMs, pollMs, monotonic });
  const { claimNext, ...runs } = runsOf({ commits, watch, clock, lease, encoded });
  const workers = new Set<SqliteWorker>();

  const engine: SqliteEngine = {
    name: 'sqlite',
    clock,
    durable: true,
    encoded,
    ...runs,
    ...readsOf({ commits, clock, encoded }),
    ...waitsOf(watch, clock),
    ...upkeepOf(commits, clock),
    worker: (definitions: readonly RunnableDefinition[], workerOptions: WorkerOptions = {}): EngineWorker => {
      const { workerId = `worker_${host.crypto.randomUUID()}` } = workerOptions;
      const concurrency = workerConcurrency(workerOptions);
      // Many runs at once keep the event loop busy enough without the disk.
      if (concurrency > 1) store.moveToThread?.();
      const worker = new SqliteWorker({ engine, definitions, workerId, concurrency, commits, watch, claimNext });
      workers.add(worker);
      return worker;
    },
    close: async (): Promise<void> => {
      await Promise.all([...workers].map((worker) => worker.stop(0)));
      watch.close();
      await commits.ask('retire', { ownerId: owner.id }).catch(() => undefined);
      await commits.close();
    },
  };
  return guardEngineWith(engine, sqliteDoor);
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

function waitsOf(watch: Watch, clock: Clock): Pick<SqliteEngine, 'waitForEnding' | 'waitUntilReady'> {
  return {
    waitForEnding: (runId: string, segment: number, signal?: AbortSignalLike): Promise<Envelope> =>
      watch.until(
        runId,
        (status) => {
          if (status === undefined) throw new FullstopError('RUN_NOT_FOUND', `There is no run ${runId}.`);
          if (status.damage !== null) throw damagedError(status.damage);
          return status.ending !== null && status.segment >= segment ? toEnvelope(status.ending) : undefined;
        },
        signal,
      ),
    waitUntilReady: async (runId: string): Promise<void> => {
      let stopAlarm: () => void = () => undefined;
      const ready = (status: RunStatus | undefined): true | undefined => {
        stopAlarm();
        if (status === undefined) return true;
        const { state, wakeAt, ending } = status;
        const facts = { state, wakeAt: wakeAt ?? undefined, hasEnding: ending !== null, now: clock.now() };
        if (isReady(facts)) return true;
        if (wakeAt !== null) stopAlarm = clock.callAt(wakeAt, () => watch.changed(runId));
        return undefined;
      };
      await watch.until(runId, ready).finally(() => stopAlarm());
    },
  };
}

function upkeepOf(commits: Commits, clock: Clock): Pick<SqliteEngine, 'backup' | 'erase' | 'prune'> {
  return {
    backup: async (target: string): Promise<void> => {
      await commits.ask('backup', { file: resolve(target) });
    },
    erase: (runId, { by } = {}) => commits.ask('erase', { runId, now: clock.now(), by: by ?? null }),
    prune: async ({ endedBefore, keep = 0, includeOpen = false }: PruneOptions): Promise<number> => {
      let removed = 0;
      for (;;) {
        const some = await commits.ask('prune', { endedBefore, keep, includeOpen, limit: pruneAtOnce });
        removed += some;
        if (some < pruneAtOnce) return removed;
      }
    },
  };
}
