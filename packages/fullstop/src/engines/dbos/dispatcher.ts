import { AsyncResource } from 'node:async_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';
import type { StartRequest } from '../port/engine.js';
import type { CancelRequest } from '../port/journal-entry.js';
import { mostRecoveries } from '../port/most-recoveries.js';
import type { OpenedPostgres } from '../postgres/postgres-engine.js';
import { DbosProcess, type DispatchReceiver, type DispatchResult, type ProcessSetup } from './dbos-process.js';
import type { DbosWorker } from './dbos-worker.js';
import {
  type Dispatch,
  dispatchAttributes,
  dispatchId,
  segmentWorkflow,
  spawnedQueue,
  usualQueue,
} from './dispatch.js';
import {
  findCancelled,
  findReady,
  findStranded,
  isAwaited,
  nextWaking,
  type ReadyQuery,
  type ReadyRun,
  raiseEpoch,
  type Tables,
} from './dispatch-queries.js';
import type { QueueLimits, RunPlace } from './options.js';
import { servedName } from './presence.js';
import { Retention } from './retention/retention.js';
import { LostTicks } from './schedules/lost-ticks.js';
import type { DbosClass } from './sdk.js';

export interface DispatcherParts {
  readonly opened: OpenedPostgres;
  readonly tables: Tables;
  readonly queues: Readonly<Record<string, QueueLimits>>;
  readonly leaseMs: number;
  readonly keepDispatchesMs: number;
  /** Where a run is put; undefined where the usual place will do. */
  place(run: ReadyRun['identity'], root: string): RunPlace | undefined;
  onError(error: Error): void;
  /** How DBOS is set up for the first worker. */
  setup(worker: DbosWorker): ProcessSetup;
}

/** How long to leave a failing store alone before it is asked again. */
const retryMs = 1000;
/** How many runs are queued at one look, and how many at the same time. */
const mostAtOnce = 500;
const lanes = 8;
/** How often, and how far apart, a definition is looked for that another worker of this process may be about to have. */
const definitionLooks = 50;
const definitionLookMs = 100;

const cancelledThere: CancelRequest = { by: 'operator', reason: 'Its workflow was cancelled in DBOS.', hard: true };

/**
 * Stands between the table of runs, which says what can continue, and DBOS, which decides where and when. Whatever is ready and not queued is
 * queued; whatever DBOS says about a dispatch without having executed it becomes a new dispatch or an ending.
 */
export class Dispatcher implements DispatchReceiver {
  readonly schema: string;
  readonly #parts: DispatcherParts;
  readonly #workers = new Set<DbosWorker>();
  /** The dispatches that are executed here. */
  readonly #active = new Map<string, Dispatch>();
  /** Of those, the ones whose cancellation in DBOS their runs were told of. */
  readonly #told = new Set<string>();
  /** Never in the context of the workflow that caused it: DBOS would take what is queued for a child of that one, which may be over by then. */
  readonly #poke: () => void = AsyncResource.bind((): void => void this.#look());
  readonly #lostTicks: LostTicks;
  readonly #retention: Retention;
  #process: DbosProcess | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #retry: NodeJS.Timeout | undefined;
  #stopAlarm: () => void = () => undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.schema = parts.tables.schema;
    const { opened, tables, keepDispatchesMs, onError } = parts;
    this.#lostTicks = new LostTicks({ ...opened, tables, onError });
    this.#retention = new Retention({ ...opened, tables, keepDispatchesMs, onError });
  }

  add(worker: DbosWorker): void {
    const { opened, queues, setup } = this.#parts;
    this.#process ??= DbosProcess.join(setup(worker), this);
    this.#workers.add(worker);
    opened.watch.workers.add(this.#poke);
    opened.watch.ensurePolling();
    // What fails here is tried again with the launch.
    for (const [name, limits] of Object.entries<QueueLimits>({ [usualQueue]: {}, [spawnedQueue]: {}, ...queues }))
      void this.#process.addQueue(name, limitsFor(name, limits, worker.concurrency)).catch(() => undefined);
    this.extend(worker);
  }

  /** Shows others what a worker executes, and looks for it. */
  extend(worker: DbosWorker): void {
    void this.#process?.presence.show(this.#shown(worker)).catch(() => undefined);
    this.#poke();
  }

  async check(): Promise<void> {
    await this.#process?.check();
  }

  /** Settles when DBOS dispatches nothing more to a worker. */
  async remove(worker: DbosWorker, graceMs: number): Promise<void> {
    this.#workers.delete(worker);
    const left = this.#process;
    if (left === undefined) return;
    const others = new Set([...this.#workers].flatMap((each) => this.#shown(each)));
    await left.presence.hide(this.#shown(worker).filter((name) => !others.has(name))).catch(() => undefined);
    if (this.#workers.size > 0) return;
    this.#process = undefined;
    this.#parts.opened.watch.workers.delete(this.#poke);
    await this.#looking;
    clearTimeout(this.#retry);
    this.#stopAlarm();
    this.#retention.stop();
    await left.leave(this, graceMs);
  }

  #shown({ definitions }: DbosWorker): readonly string[] {
    return definitions.map(({ name, version }) => servedName(this.schema, name, version));
  }

  loadFor(name: string, version: string): number | undefined {
    return this.#find({ name, version })?.load;
  }

  /** Of several workers that have the definition, the one with the most room. */
  #find(wanted: Pick<Dispatch, 'name' | 'version'>): DbosWorker | undefined {
    return [...this.#workers]
      .filter((worker) => worker.definitionOf(wanted) !== undefined)
      .sort((left, right) => left.load - right.load)[0];
  }

  async receive(dispatch: Dispatch): Promise<DispatchResult> {
    const worker = await this.#await(dispatch);
    const definition = worker?.definitionOf(dispatch);
    if (worker === undefined || definition === undefined) return { result: 'no definition here' };
    const { opened } = this.#parts;
    try {
      // A dispatch that was rewound, resumed or forked in DBOS is good for nothing: the journal says what was done.
      if (!(await opened.store.ask((sql) => isAwaited(sql, dispatch)))) return { result: 'superseded' };
    } catch (error) {
      await delay(retryMs);
      return { result: 'store failed', message: String(error) };
    }
    const id = dispatchId(dispatch);
    this.#active.set(id, dispatch);
    try {
      return await worker.execute(definition, dispatch);
    } finally {
      this.#active.delete(id);
      this.#told.delete(id);
      this.#poke();
    }
  }

  start(request: StartRequest): Promise<unknown> {
    return this.#parts.opened.engine.start(request);
  }

  async #await(dispatch: Dispatch): Promise<DbosWorker | undefined> {
    for (let looks = 0; looks < definitionLooks && this.#workers.size > 0; looks += 1) {
      const worker = this.#find(dispatch);
      if (worker !== undefined) return worker;
      await delay(definitionLookMs);
    }
    return undefined;
  }

  async #look(): Promise<void> {
    this.#again = true;
    this.#looking ??= this.#lookAll().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #lookAll(): Promise<void> {
    try {
      while (this.#again && this.#process !== undefined) {
        this.#again = false;
        await this.#lookOnce(this.#process);
      }
    } catch (error) {
      // The store fails: nothing is lost, the runs stay ready.
      this.#parts.onError(error instanceof Error ? error : new Error(String(error)));
      this.#lookAgainSoon();
    }
  }

  #lookAgainSoon(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(this.#poke, retryMs);
  }

  async #lookOnce(process: DbosProcess): Promise<void> {
    const { opened, tables, leaseMs } = this.#parts;
    const { engine, store } = opened;
    const dbos = await process.launched();
    await process.presence.ensure();
    const query = this.#query();
    const active = [...this.#active].filter(([id]) => !this.#told.has(id));
    // Without patience: what fails is looked at again, and whoever stops a worker waits for the end of a look.
    const found = await store.askOnce(async (sql) => ({
      ...(await findStranded(sql, tables, leaseMs)),
      cancelled: await findCancelled(sql, tables, active),
      ready: await findReady(sql, tables, query),
      wakeAt: await nextWaking(sql, query),
    }));
    if (found.stranded.length > 0) await dbos.cancelWorkflows(found.stranded);
    for (const { id, runId } of found.cancelled) {
      await engine.cancel(runId, cancelledThere);
      this.#told.add(id);
    }
    await this.#lostTicks.start(dbos);
    this.#retention.look();
    await inLanes(found.ready, (run) => this.#queue(dbos, run, process.setup.applicationVersion));
    if (found.ready.length === mostAtOnce || found.stranded.length > 0) this.#again = true;
    this.#stopAlarm();
    this.#stopAlarm = found.wakeAt === undefined ? () => undefined : engine.clock.callAt(found.wakeAt, this.#poke);
    // The end of a process that has no run is announced by nobody.
    if (found.isInDoubt) this.#lookAgainSoon();
  }

  #query(): ReadyQuery {
    const definitions = [...this.#workers].flatMap((worker) => worker.definitions);
    return {
      names: definitions.map(({ name }) => name),
      versions: definitions.map(({ version }) => version),
      now: this.#parts.opened.engine.clock.now(),
      limit: mostAtOnce,
      patienceMs: this.#parts.leaseMs,
    };
  }

  /** Queues a run, or first makes the dispatch worthless that came to nothing. */
  async #queue(dbos: DbosClass, run: ReadyRun, appVersion: string): Promise<void> {
    const { dispatch, identity, status, root } = run;
    if (status !== undefined) {
      await this.#replace(dbos, dispatch, status);
      this.#again = true;
      return;
    }
    const usual: RunPlace = root === identity.runId ? {} : { queue: spawnedQueue, partition: root };
    const { queue = usualQueue, priority, partition, delaySeconds } = this.#parts.place(identity, root) ?? usual;
    const options = {
      queueName: queue,
      workflowName: segmentWorkflow,
      workflowID: dispatchId(dispatch),
      appVersion,
      attributes: dispatchAttributes(identity, dispatch),
      ...(priority !== undefined && { priority }),
      ...(partition !== undefined && { queuePartitionKey: partition }),
      ...(delaySeconds !== undefined && { delaySeconds }),
    };
    await dbos.enqueueWorkflowWithOptions(options, dispatch);
  }

  async #replace(dbos: DbosClass, dispatch: Dispatch, status: string): Promise<void> {
    const { engine, store } = this.#parts.opened;
    // Before the epoch is raised: a wish that is written twice does no harm, one that is lost would.
    if (status === 'CANCELLED') await engine.cancel(dispatch.runId, cancelledThere);
    const losses = status === 'MAX_RECOVERY_ATTEMPTS_EXCEEDED' ? mostRecoveries : undefined;
    // Raised once: the second time it would seem to be somebody else's.
    const raised = await store.askOnce((sql) => raiseEpoch(sql, dispatch, losses));
    if (raised && openStatuses.has(status)) await dbos.cancelWorkflows([dispatchId(dispatch)]);
  }
}

/** One process executes no more than all may, and no more than its worker was made for. */
function limitsFor(name: string, limits: QueueLimits, concurrency: number): QueueLimits {
  const { globalConcurrency = concurrency, workerConcurrency = Math.min(concurrency, globalConcurrency) } = limits;
  if (name !== spawnedQueue) return { ...limits, workerConcurrency };
  // A limit that nobody reaches makes the partitions.
  const { partitionConcurrency: most = workerConcurrency } = limits;
  const { partitionWorkerConcurrency = Math.min(most, workerConcurrency) } = limits;
  return { ...limits, workerConcurrency, partitionWorkerConcurrency };
}

/** The statuses of workflows that DBOS may still execute. */
const openStatuses: ReadonlySet<string> = new Set(['DELAYED', 'ENQUEUED', 'PENDING']);

/** Works on several at the same time, and no more than that. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const lane = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
}
