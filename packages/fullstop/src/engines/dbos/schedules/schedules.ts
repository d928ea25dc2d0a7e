import { found } from '../../../termination/check.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import type { Engine } from '../../port/engine.js';
import type { ConnectOptions } from '../../postgres/connection/open-pool.js';
import { openForeignPool, openSession } from '../../postgres/connection/open-pool.js';
import type { PoolLike } from '../../postgres/connection/sql.js';
import { toStoreError } from '../../postgres/connection/store-error.js';
import type { PostgresStore } from '../../postgres/postgres-store.js';
import type { Tables } from '../dispatch-queries.js';
import { inLaunchTurn } from '../launch-turn.js';
import { isMade, scheduleTable } from '../made-table.js';
import {
  type DbosClient,
  loadDbosClient,
  loadSystemDatabase,
  type ScheduleRow,
  silentLogger,
  unusedAddress,
} from '../sdk.js';
import { captureStart } from './capture-start.js';
import { checkCron, nextTick } from './check-cron.js';
import type { Schedulable, Schedule, ScheduleOptions } from './options.js';
import { nameInDbos, type TickContext, tickWorkflow } from './tick.js';

export interface SchedulesParts {
  readonly engine: Engine;
  readonly store: PostgresStore;
  readonly connecting: ConnectOptions;
  readonly tables: Tables;
  readonly application: string;
}

/** The schedules of one store, in the tables of DBOS. Neither making nor reading them needs a worker. */
export class Schedules {
  readonly #parts: SchedulesParts;

  constructor(parts: SchedulesParts) {
    this.#parts = parts;
  }

  async set<TInput>(definition: Schedulable<TInput>, options: ScheduleOptions<TInput>): Promise<Schedule> {
    const { name = definition.name, cron, input, timezone = 'UTC', missed = 'skip' } = options;
    checkName(name);
    checkCron(cron, timezone);
    const { engine, tables, application } = this.#parts;
    const context: TickContext = {
      store: tables.schema,
      schedule: name,
      start: await captureStart(engine, definition, input),
    };
    const row = {
      scheduleName: nameInDbos(name, tables.schema),
      workflowName: tickWorkflow,
      schedule: cron,
      context,
      automaticBackfill: missed === 'run',
      cronTimezone: timezone,
      applicationName: application,
    };
    await this.#ask(true, (client) => client.applySchedules([row]));
    const made = (await this.list()).find((each) => each.name === name);
    if (made === undefined) throw new FullstopError('STORE_FAILED', `schedule: ${name} was removed while it was made.`);
    return made;
  }

  async list(): Promise<readonly Schedule[]> {
    const { tables, application } = this.#parts;
    const filter = { workflowName: tickWorkflow, applicationName: application };
    const rows = await this.#ask(false, (client) => client.listSchedules(filter));
    return (rows ?? []).filter(({ context }) => context.store === tables.schema).map(toSchedule);
  }

  /** False where there is none of that name. */
  async remove(name: string): Promise<boolean> {
    if (!(await this.list()).some((each) => each.name === name)) return false;
    await this.#ask(false, (client) => client.deleteSchedule(nameInDbos(name, this.#parts.tables.schema)));
    return true;
  }

  /** Asks DBOS; undefined where its tables are not there and are not to be made. */
  async #ask<T>(makes: boolean, work: (client: DbosClient) => Promise<T>): Promise<T | undefined> {
    const { store, connecting, tables, application } = this.#parts;
    const { dbosSchema } = tables;
    // DBOS asks a server that is away again and again; ours says so. It also knows whether the tables are there.
    const isThere = await store.ask((sql) => isMade(sql, dbosSchema, scheduleTable));
    if (!isThere && !makes) return undefined;
    const pool = await openForeignPool(connecting, 2);
    try {
      if (!isThere) await this.#makeTables(pool);
      const client = await loadDbosClient().create({
        systemDatabaseUrl: unusedAddress,
        systemDatabasePool: pool,
        systemDatabaseSchemaName: dbosSchema,
        applicationName: application,
        logger: silentLogger,
      });
      try {
        return await work(client);
      } finally {
        await client.destroy();
      }
    } catch (error) {
      throw toStoreError(error, store.place);
    } finally {
      await pool.end();
    }
  }

  /** A worker may be making them too. */
  async #makeTables(pool: PoolLike): Promise<void> {
    const { connecting, tables } = this.#parts;
    const { dbosSchema } = tables;
    const { ensureSystemDatabase } = loadSystemDatabase();
    const session = await openSession(connecting);
    try {
      await inLaunchTurn(session, dbosSchema, () =>
        ensureSystemDatabase(unusedAddress, silentLogger, pool, dbosSchema),
      );
    } finally {
      await session.end();
    }
  }
}

function toSchedule({ schedule: cron, context, ...row }: ScheduleRow): Schedule {
  const { schedule: name, start } = context;
  const timezone = row.cronTimezone ?? 'UTC';
  const nextAt = nextTick(cron, timezone, Date.now());
  const paused = row.status !== 'ACTIVE';
  return {
    name,
    cron,
    timezone,
    missed: row.automaticBackfill ? 'run' : 'skip',
    run: { name: start.name, version: start.version },
    ...(start.input !== undefined && { input: start.input }),
    paused,
    ...(row.lastFiredAt !== null && { lastAt: Date.parse(row.lastFiredAt) }),
    ...(nextAt !== undefined && !paused && { nextAt }),
  };
}

function checkName(name: string): void {
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(name))
    throw new FullstopError(
      'INVALID_OPTION',
      `schedule: name is ${found(name)}; it must begin with a letter or digit and have only letters, digits, _, . and -, at most 100 of them.`,
    );
}
