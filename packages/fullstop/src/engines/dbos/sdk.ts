import { createRequire } from 'node:module';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { QueueLimits } from './options.js';
import type { TickContext } from './schedules/tick.js';

/** A row of DBOS's table of workflows that is to be written: one dispatch of ours. */
export interface EnqueueOptions {
  readonly queueName: string;
  readonly workflowName: string;
  readonly workflowID: string;
  readonly appVersion: string;
  readonly priority?: number;
  readonly queuePartitionKey?: string;
  readonly delaySeconds?: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface LaunchConfig {
  readonly name: string;
  readonly systemDatabaseUrl: string;
  readonly systemDatabaseSchemaName: string;
  readonly systemDatabasePool: object;
  readonly applicationVersion: string;
  readonly executorID: string;
  readonly listenQueues?: readonly string[];
  readonly schedulerPollingIntervalMs?: number;
  readonly logger: object;
}

/** The part of the class `DBOS` that we use. */
export interface DbosClass {
  setConfig(config: LaunchConfig): void;
  isInitialized(): boolean;
  launch(): Promise<void>;
  shutdown(options?: { readonly deregister?: boolean; readonly workflowCompletionTimeoutMS?: number }): Promise<void>;
  registerWorkflow<TArguments extends unknown[], T>(
    work: (...given: TArguments) => Promise<T>,
    config: { readonly name: string },
  ): (...given: TArguments) => Promise<T>;
  registerQueue(
    name: string,
    options: QueueLimits & { readonly minPollingIntervalMs: number; readonly onConflict: 'always_update' },
  ): Promise<unknown>;
  enqueueWorkflowWithOptions(options: EnqueueOptions, ...given: readonly unknown[]): Promise<unknown>;
  cancelWorkflows(workflowIds: readonly string[]): Promise<void>;
  deleteWorkflows(workflowIds: readonly string[]): Promise<void>;
  getWorkflowStatus(workflowId: string): Promise<{ readonly input?: readonly unknown[] } | null>;
  readonly workflowID: string | undefined;
}

/** A row of DBOS's table of schedules that is to be written. */
interface ScheduleWish {
  readonly scheduleName: string;
  readonly workflowName: string;
  readonly schedule: string;
  readonly context: TickContext;
  readonly automaticBackfill: boolean;
  readonly cronTimezone: string;
  readonly applicationName: string;
}

/** A row of DBOS's table of schedules. */
export interface ScheduleRow {
  readonly schedule: string;
  readonly status: string;
  readonly context: TickContext;
  readonly lastFiredAt: string | null;
  readonly automaticBackfill: boolean;
  readonly cronTimezone: string | null;
}

/** The part of a client of DBOS that we use: it launches nothing. */
export interface DbosClient {
  applySchedules(schedules: readonly ScheduleWish[]): Promise<void>;
  listSchedules(filter: {
    readonly workflowName: string;
    readonly applicationName: string;
  }): Promise<readonly ScheduleRow[]>;
  deleteSchedule(name: string): Promise<void>;
  destroy(): Promise<void>;
}

interface DbosClientClass {
  create(options: {
    readonly systemDatabaseUrl: string;
    readonly systemDatabasePool: object;
    readonly systemDatabaseSchemaName: string;
    readonly applicationName: string;
    readonly logger: object;
  }): Promise<DbosClient>;
}

/** How DBOS reads cron. */
interface Crontab {
  validateCrontab(cron: string): void;
  validateTimezone(timezone: string): void;
  readonly TimeMatcher: new (
    cron: string,
    timezone: string,
  ) => { match(instant: number): boolean; nextWakeupTime(after: number): Date };
}

/** How DBOS makes its tables. */
interface SystemDatabase {
  ensureSystemDatabase(url: string, logger: object, pool: object, schema: string): Promise<void>;
}

/** Loads the package when it is needed: whoever executes and schedules no runs need not have it. */
function load(part = ''): unknown {
  try {
    return createRequire(import.meta.url)(`@dbos-inc/dbos-sdk${part}`);
  } catch (cause) {
    throw missing(cause);
  }
}

export function loadDbos(): DbosClass {
  return (load() as { readonly DBOS: DbosClass }).DBOS;
}

export function loadDbosClient(): DbosClientClass {
  return (load() as { readonly DBOSClient: DbosClientClass }).DBOSClient;
}

export function loadCrontab(): Crontab {
  return load('/internal/scheduler/crontab') as Crontab;
}

export function loadSystemDatabase(): SystemDatabase {
  return load('/internal/system_database') as SystemDatabase;
}

function missing(cause: unknown): FullstopError {
  return new FullstopError(
    'STORE_DRIVER_MISSING',
    'Workers and schedules of the engine on DBOS need the package @dbos-inc/dbos-sdk, which is not installed: npm install @dbos-inc/dbos-sdk pg',
    { cause },
  );
}

/** DBOS wants an address even where it is given a pool; it only shows it. */
export const unusedAddress = 'postgres://fullstop@pool/unused';

const quiet = (): void => undefined;

/** DBOS writes to the console unless told otherwise; whatever matters to a run is in its journal. */
export const silentLogger: object = { info: quiet, debug: quiet, warn: quiet, error: quiet };
