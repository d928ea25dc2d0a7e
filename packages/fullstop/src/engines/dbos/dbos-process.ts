import { randomUUID } from 'node:crypto';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { StartRequest } from '../port/engine.js';
import type { SessionClient } from '../postgres/connection/open-pool.js';
import type { PoolLike } from '../postgres/connection/sql.js';
import { type Dispatch, segmentWorkflow } from './dispatch.js';
import { launchFailure } from './launch-failure.js';
import type { QueueLimits } from './options.js';
import { executorName, listenName, Presence, versionPrefix } from './presence.js';
import { type TickContext, tickStart, tickWorkflow } from './schedules/tick.js';
import { type DbosClass, type LaunchConfig, loadDbos, silentLogger, unusedAddress } from './sdk.js';

/** The outcome of a dispatch, as DBOS's listings show it. */
export type DispatchResult = Readonly<Record<string, unknown>> & { readonly result: string };

/** Executes the dispatches of one store. */
export interface DispatchReceiver {
  readonly schema: string;
  /** The part of its room that is taken; undefined where it has no such definition. */
  loadFor(name: string, version: string): number | undefined;
  receive(dispatch: Dispatch): Promise<DispatchResult>;
  /** Starts a run that a schedule is due for. */
  start(request: StartRequest): Promise<unknown>;
}

/** How the one DBOS of a process is set up; engines that agree on it share it. */
export interface ProcessSetup {
  /** The server and the database. */
  readonly place: string;
  readonly dbosSchema: string;
  readonly application: string;
  readonly applicationVersion: string;
  /** False where it was derived from the definitions of a worker: then that of the process will do. */
  readonly isVersionGiven: boolean;
  readonly listen: readonly string[] | undefined;
  readonly queuePollMs: number;
  openSession(): Promise<SessionClient>;
  /** A pool for DBOS itself. */
  openPool(): Promise<PoolLike>;
}

/** How long those that let go of their runs may take to say so to DBOS. */
const leavingMs = 2000;

/** How often DBOS looks for schedules that were made or changed. */
const schedulerPollMs = 5000;

/** DBOS is one per process. It is launched for the first worker, and shut down after the last one. */
let current: DbosProcess | undefined;

export class DbosProcess {
  /** Never used twice: a process that takes the id of another one would take its work as well. */
  readonly executorId: string = `${process.pid}_${randomUUID()}`;
  readonly presence: Presence;
  readonly setup: ProcessSetup;
  readonly #receivers = new Set<DispatchReceiver>();
  readonly #queues = new Map<string, QueueLimits>();
  #dbos: Promise<DbosClass> | undefined;
  #pool: PoolLike | undefined;
  #closing: Promise<void> | undefined;

  /** The process that must have ended before this one is launched. */
  readonly #after: Promise<void> | undefined;

  private constructor(setup: ProcessSetup, after: Promise<void> | undefined) {
    this.setup = setup;
    this.#after = after;
    this.presence = new Presence(() => setup.openSession());
  }

  /** Joins the DBOS of this process. One that is set up otherwise cannot be shared. */
  static join(setup: ProcessSetup, receiver: DispatchReceiver): DbosProcess {
    loadDbos();
    if (current === undefined || current.#closing !== undefined)
      current = new DbosProcess(setup, current === undefined ? undefined : current.#closing);
    else refuseOther(current.setup, setup);
    current.#receivers.add(receiver);
    return current;
  }

  /** Launches DBOS if nobody did; whoever fails may try again. */
  launched(): Promise<DbosClass> {
    this.#dbos ??= this.#launch().catch((error: unknown) => {
      this.#dbos = undefined;
      throw error;
    });
    return this.#dbos;
  }

  /** Fails where DBOS is not launched, or cannot reach its tables. Waits while it is being launched. */
  async check(): Promise<void> {
    if (this.#dbos === undefined) throw new FullstopError('STORE_FAILED', 'DBOS is not launched yet.');
    await this.#dbos;
    await this.presence.ensure();
    await this.#pool?.query({ text: `SELECT 1 FROM "${this.setup.dbosSchema}".workflow_status LIMIT 1` });
  }

  async #launch(): Promise<DbosClass> {
    await this.#after;
    const dbos = loadDbos();
    if (dbos.isInitialized())
      throw new FullstopError(
        'INVALID_OPTION',
        'dbosEngine: this program has launched DBOS itself, and a process can have only one. Execute runs in a process of their own: fullstop worker.',
      );
    const { dbosSchema, application, applicationVersion, listen } = this.setup;
    const queues = listen ?? [undefined];
    await this.presence.show([
      executorName(this.executorId),
      `${versionPrefix}${applicationVersion}`,
      ...queues.map((queue) => listenName(dbosSchema, applicationVersion, queue)),
    ]);
    this.#pool ??= await this.setup.openPool();
    const config: LaunchConfig = {
      name: application,
      systemDatabaseUrl: unusedAddress,
      systemDatabaseSchemaName: dbosSchema,
      systemDatabasePool: this.#pool,
      applicationVersion,
      executorID: this.executorId,
      schedulerPollingIntervalMs: schedulerPollMs,
      logger: silentLogger,
      ...(listen !== undefined && { listenQueues: listen }),
    };
    dbos.setConfig(config);
    dbos.registerWorkflow((dispatch: Dispatch) => this.#receive(dispatch), { name: segmentWorkflow });
    dbos.registerWorkflow((at: Date, context: TickContext) => this.#tick(at, context), { name: tickWorkflow });
    try {
      // Two processes that make the tables of DBOS at the same time can leave a table of migrations with two rows, which no later launch gets past.
      await this.presence.inLaunchTurn(dbosSchema, () => dbos.launch());
      for (const [name, limits] of this.#queues) await this.#register(dbos, name, limits);
      return dbos;
    } catch (error) {
      await dbos.shutdown({ deregister: true }).catch(() => undefined);
      throw launchFailure(error, dbosSchema);
    }
  }

  /** Makes a queue known with its limits. Those of later workers of this process count where they allow more. */
  async addQueue(name: string, limits: QueueLimits): Promise<void> {
    const known = this.#queues.get(name);
    const most = Math.max(known?.workerConcurrency ?? 0, limits.workerConcurrency ?? 0);
    const wanted = most > 0 ? { ...limits, workerConcurrency: most } : limits;
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(wanted)) return;
    this.#queues.set(name, wanted);
    if (this.#dbos !== undefined) await this.#register(await this.#dbos, name, wanted);
  }

  async #register(dbos: DbosClass, name: string, limits: QueueLimits): Promise<void> {
    const { queuePollMs: minPollingIntervalMs } = this.setup;
    await dbos.registerQueue(name, { ...limits, minPollingIntervalMs, onConflict: 'always_update' });
  }

  async #receive(dispatch: Dispatch): Promise<DispatchResult> {
    const { schema, name, version } = dispatch;
    const ofStore = [...this.#receivers].filter((each) => each.schema === schema);
    const loadOf = (each: DispatchReceiver): number => each.loadFor(name, version) ?? Number.POSITIVE_INFINITY;
    const [receiver] = ofStore.sort((left, right) => (loadOf(left) < loadOf(right) ? -1 : 1));
    return receiver === undefined ? { result: 'no worker' } : receiver.receive(dispatch);
  }

  /** A schedule is due. Fails where the store is not one of this process: then a worker that has it starts the run. */
  async #tick(at: Date, context: TickContext): Promise<DispatchResult> {
    const receiver = [...this.#receivers].find((each) => each.schema === context.store);
    if (receiver === undefined) throw new Error(`This process has no worker on the store ${context.store}.`);
    const request = tickStart(context, at);
    await receiver.start(request);
    return { result: 'started', runId: request.runId };
  }

  /** The last one to leave shuts DBOS down. */
  async leave(receiver: DispatchReceiver, graceMs: number): Promise<void> {
    if (this.#receivers.size > 1 || !this.#receivers.has(receiver)) {
      this.#receivers.delete(receiver);
      return;
    }
    this.#closing ??= this.#close(graceMs);
    await this.#closing;
    if (current === this) current = undefined;
  }

  /** Nothing more is taken from the queues, and what is under way may end. */
  async #close(graceMs: number): Promise<void> {
    const dbos = await this.#dbos?.catch(() => undefined);
    const workflowCompletionTimeoutMS = graceMs + leavingMs;
    await dbos?.shutdown({ deregister: true, workflowCompletionTimeoutMS }).catch(() => undefined);
    await this.#pool?.end().catch(() => undefined);
    await this.presence.close();
  }
}

function refuseOther(have: ProcessSetup, wanted: ProcessSetup): void {
  const same =
    have.place === wanted.place &&
    have.dbosSchema === wanted.dbosSchema &&
    have.application === wanted.application &&
    String(have.listen) === String(wanted.listen);
  if (!same)
    throw new FullstopError(
      'INVALID_OPTION',
      'dbosEngine: this process has a worker on another database, DBOS schema, application or set of queues already, and DBOS is one per process. Execute the others in a process of their own.',
    );
  if (wanted.isVersionGiven && wanted.applicationVersion !== have.applicationVersion)
    throw new FullstopError(
      'INVALID_OPTION',
      `dbosEngine: applicationVersion is ${found(wanted.applicationVersion)}, and a worker of this process has launched DBOS as ${found(have.applicationVersion)}${have.isVersionGiven ? '' : ', derived from its definitions'}; DBOS is one per process and has one version. Give all engines of a process the same.`,
    );
}
