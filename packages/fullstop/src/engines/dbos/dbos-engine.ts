import { createHash } from 'node:crypto';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { inOrder } from '../door/door.js';
import { type ExtraDoor, guardEngineWith } from '../door/engine-door.js';
import { name } from '../door/readers.js';
import { timerMilliseconds, wholeNumber } from '../port/check-number.js';
import type { EngineWorker, RunnableDefinition } from '../port/engine.js';
import { host } from '../port/host.js';
import { workerConcurrency } from '../port/worker-concurrency.js';
import { openForeignPool, openSession } from '../postgres/connection/open-pool.js';
import { openPostgres } from '../postgres/postgres-engine.js';
import { upkeepOf } from '../store/engine-upkeep.js';
import { storeDoor } from '../store/store-door.js';
import { checkQueues } from './check-queues.js';
import type { ProcessSetup } from './dbos-process.js';
import { DbosWorker } from './dbos-worker.js';
import { findUnserved } from './dispatch-queries.js';
import { Dispatcher } from './dispatcher.js';
import type { DbosEngine, DbosEngineOptions, DbosSettings } from './options.js';
import { forgetDispatches } from './retention/forget-dispatches.js';
import { schedulable, scheduleOptions } from './schedules/readers.js';
import { Schedules } from './schedules/schedules.js';

/** The arguments of the methods that only this engine has. */
const dbosDoor: ExtraDoor<DbosEngine> = {
  ...storeDoor,
  checkQueues: inOrder<[]>(),
  unserved: inOrder<[]>(),
  schedule: inOrder<Parameters<DbosEngine['schedule']>>(['definition', schedulable], ['', scheduleOptions]),
  schedules: inOrder<[]>(),
  unschedule: inOrder<Parameters<DbosEngine['unschedule']>>(['name', name]),
};

/** Those that DBOS works with, and the one on which it listens. */
const dbosConnections = 6;

/** A week, in which operators may want to see what was dispatched. */
const keepDispatchesMs = 604_800_000;

/**
 * Keeps runs in a database of Postgres, and lets DBOS decide which worker executes which segment when. Only workers need DBOS: whoever starts,
 * answers or reads runs of the same store may do so with this engine or with the one on Postgres.
 */
export function dbosEngine(options: DbosEngineOptions): DbosEngine {
  const { dbosSchema, application, queuePollMs, keepDispatchesMs: keepMs } = checkOptions(options);
  const { queues = {}, listen, place = () => undefined, applicationVersion, onError = () => undefined } = options;
  const opened = openPostgres({ ...options, sessions: true });
  const { schema, store, connecting } = opened;
  const tables = { schema, dbosSchema };
  const setup = ({ definitions }: DbosWorker): ProcessSetup => ({
    place: store.place,
    dbosSchema,
    application,
    applicationVersion: applicationVersion ?? versionOf(definitions),
    isVersionGiven: applicationVersion !== undefined,
    listen,
    queuePollMs,
    openSession: () => openSession(connecting),
    openPool: () => openForeignPool(connecting, dbosConnections),
  });
  const leaseMs = options.leaseMs ?? 15_000;
  const dispatcher = new Dispatcher({
    opened,
    tables,
    queues,
    leaseMs,
    keepDispatchesMs: keepMs,
    place,
    onError,
    setup,
  });
  const workers = new Set<DbosWorker>();
  const schedules = new Schedules({ ...opened, tables, application });
  const engine: DbosEngine = {
    ...opened.engine,
    ...upkeepOf(opened.commits, opened.engine.clock, (runIds) => forgetDispatches(store, tables, runIds)),
    name: 'dbos',
    queued: true,
    checkQueues: () => dispatcher.check(),
    unserved: () => store.ask((sql) => findUnserved(sql, tables)),
    schedule: (definition, wanted) => schedules.set(definition, wanted),
    schedules: () => schedules.list(),
    unschedule: (scheduleName) => schedules.remove(scheduleName),
    worker: (definitions, workerOptions = {}): EngineWorker => {
      const worker = new DbosWorker({
        engine,
        opened,
        definitions,
        workerId: workerOptions.workerId ?? `worker_${host.crypto.randomUUID()}`,
        concurrency: workerConcurrency(workerOptions),
        onMore: (extended) => dispatcher.extend(extended),
        onStop: (stopped, graceMs) => dispatcher.remove(stopped, graceMs),
      });
      dispatcher.add(worker);
      workers.add(worker);
      return worker;
    },
    close: async (): Promise<void> => {
      await Promise.all([...workers].map((worker) => worker.stop(0)));
      await opened.engine.close();
    },
  };
  return guardEngineWith(engine, dbosDoor);
}

/** Processes with the same definitions can take each other's place. */
function versionOf(definitions: readonly RunnableDefinition[]): string {
  const names = definitions.map(({ name: ofRun, version }) => JSON.stringify([ofRun, version])).sort();
  return `fullstop-${createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16)}`;
}

type CheckedOptions = Required<Pick<DbosSettings, 'application' | 'dbosSchema' | 'keepDispatchesMs' | 'queuePollMs'>>;

function checkOptions(options: DbosEngineOptions): CheckedOptions {
  const { dbosSchema = 'dbos', application = 'fullstop', queuePollMs = 100 } = options;
  const { keepDispatchesMs: keepMs = keepDispatchesMs } = options;
  if (typeof dbosSchema !== 'string' || !/^[a-z_][a-z0-9_]{0,50}$/.test(dbosSchema))
    throw new FullstopError(
      'INVALID_OPTION',
      `dbosEngine: dbosSchema is ${found(dbosSchema)}; it must be a name of small letters, digits and _, at most 51 of them.`,
    );
  if (dbosSchema === (options.schema ?? 'fullstop'))
    throw new FullstopError(
      'INVALID_OPTION',
      `dbosEngine: dbosSchema and schema are both ${found(dbosSchema)}; DBOS needs a schema of its own.`,
    );
  if (typeof application !== 'string' || application === '')
    throw new FullstopError('INVALID_OPTION', `dbosEngine: application is ${found(application)}; it must be a name.`);
  checkQueues(options.queues ?? {});
  timerMilliseconds(queuePollMs, 'dbosEngine: queuePollMs');
  wholeNumber(keepMs, 'dbosEngine: keepDispatchesMs');
  return { dbosSchema, application, queuePollMs, keepDispatchesMs: keepMs };
}
