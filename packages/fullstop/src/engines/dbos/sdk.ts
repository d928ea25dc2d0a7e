import { createRequire } from 'node:module';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { QueueLimits } from './options.js';

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
  readonly systemDatabasePoolSize: number;
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
  readonly workflowID: string | undefined;
}

/** Loads the package when it is needed: whoever executes no runs need not have it. */
export function loadDbos(): DbosClass {
  try {
    const { DBOS } = createRequire(import.meta.url)('@dbos-inc/dbos-sdk') as { readonly DBOS: DbosClass };
    return DBOS;
  } catch (cause) {
    throw missing(cause);
  }
}

function missing(cause: unknown): FullstopError {
  return new FullstopError(
    'STORE_DRIVER_MISSING',
    'A worker of the engine on DBOS needs the package @dbos-inc/dbos-sdk, which is not installed: npm install @dbos-inc/dbos-sdk pg',
    { cause },
  );
}

const quiet = (): void => undefined;

/** DBOS writes to the console unless told otherwise; whatever matters to a run is in its journal. */
export const silentLogger: object = { info: quiet, debug: quiet, warn: quiet, error: quiet };
