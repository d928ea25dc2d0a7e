import { type Clock, monotonicOf } from '../port/clock.js';
import type { EngineWorker, RunnableDefinition, WorkerOptions } from '../port/engine.js';
import { host } from '../port/host.js';
import { workerConcurrency } from '../port/worker-concurrency.js';
import { Commits } from './commits.js';
import type { StoreEngine } from './engine-options.js';
import { readsOf } from './engine-reads.js';
import { runsOf } from './engine-runs.js';
import { upkeepOf } from './engine-upkeep.js';
import { waitsOf } from './engine-waits.js';
import { Lease } from './lease.js';
import { movingOf } from './moving/engine-moving.js';
import type { Owner, Store } from './operations.js';
import type { StoreSession } from './store-session.js';
import { StoreWorker } from './store-worker.js';
import { Watch } from './watch.js';

export interface StoreEngineParts {
  readonly name: string;
  readonly store: Store;
  readonly clock: Clock;
  /** The process as others see it; each engine has an id of its own. */
  readonly owner: Owner;
  readonly encoded: boolean;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** The part of the lease in which this process relies on it. Where given, it abandons its runs after that instead of waiting for news. */
  readonly reliedOn?: number;
  /** Called when a worker is made. */
  onWorker?(concurrency: number): void;
}

/** An engine and what those need who add to it. */
export interface MadeEngine {
  readonly engine: StoreEngine;
  readonly commits: Commits;
  readonly lease: Lease;
  readonly watch: Watch;
  claim(runId: string, workerId: string): Promise<StoreSession | undefined>;
}

/** Makes an engine of a store: whatever stores share is here, and a store carries out operations. */
export function makeStoreEngine(parts: StoreEngineParts): MadeEngine {
  const { name, store, clock, owner, encoded, leaseMs, pollMs, reliedOn, onWorker } = parts;
  const commits = new Commits(store, clock);
  const monotonic = monotonicOf(clock);
  const lease = new Lease({ owner, leaseMs, now: () => clock.now(), monotonic, reliedOn });
  const watch = new Watch({ commits, owner, lease, leaseMs, pollMs, monotonic, abandonsLate: reliedOn !== undefined });
  const { claimNext, ...runs } = runsOf({ commits, watch, clock, lease, encoded });
  const workers = new Set<StoreWorker>();

  const engine: StoreEngine = {
    name,
    clock,
    durable: true,
    encoded,
    ...runs,
    ...readsOf({ commits, clock, encoded }),
    ...waitsOf(watch, clock),
    ...upkeepOf(commits, clock),
    ...movingOf({ commits, watch, clock, owner, encoded }),
    worker: (definitions: readonly RunnableDefinition[], workerOptions: WorkerOptions = {}): EngineWorker => {
      const { workerId = `worker_${host.crypto.randomUUID()}` } = workerOptions;
      const concurrency = workerConcurrency(workerOptions);
      onWorker?.(concurrency);
      const worker = new StoreWorker({ engine, definitions, workerId, concurrency, commits, watch, claimNext });
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
  return { engine, commits, lease, watch, claim: runs.claim };
}
