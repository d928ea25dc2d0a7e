import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { onTestFinished } from 'vitest';
import {
  type DbosEngine,
  type DbosEngineOptions,
  type DbosSettings,
  dbosEngine,
} from '../../packages/fullstop/src/engines/dbos/index.js';
import { type Child, startProgram } from './start-program.js';
import { ask } from './test-database.js';

/** An engine that is quick to look, closed when its test is over. */
export function openDbos(options: Extract<DbosEngineOptions, { readonly url: string }>): DbosEngine {
  return closedAfter({ connections: 3, ...options });
}

/** The same on a pool that the test has. */
export function openDbosOn(pool: NonNullable<DbosEngineOptions['pool']>, settings: DbosSettings): DbosEngine {
  return closedAfter({ pool, ...settings });
}

function closedAfter(options: DbosEngineOptions): DbosEngine {
  const engine = dbosEngine({ queuePollMs: 20, pollMs: 100, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

/** DBOS's own tools, as an operator uses them. */
export async function openOperator(url: string): Promise<DBOSClient> {
  const client = await DBOSClient.create({ systemDatabaseUrl: url, applicationName: 'fullstop' });
  onTestFinished(() => client.destroy());
  return client;
}

/** A row of DBOS's table of workflows. */
export interface DispatchRow {
  readonly workflow_uuid: string;
  readonly status: string;
  readonly executor_id: string | null;
  readonly application_version: string | null;
  readonly queue_name: string | null;
  readonly started_at_epoch_ms: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly output: string | null;
}

/** The dispatches of a store, oldest first. */
export function dispatchesOf(url: string, schema: string): Promise<DispatchRow[]> {
  return ask<DispatchRow>(
    url,
    `SELECT workflow_uuid, status, executor_id, application_version, queue_name, started_at_epoch_ms, attributes, output FROM dbos.workflow_status
     WHERE name = 'fullstop.segment' AND attributes->>'store' = $1 ORDER BY created_at, (attributes->>'epoch')::int`,
    [schema],
  );
}

/** A worker in a process of its own, which hangs in its second step. */
export function startStubborn(url: string, schema: string, leaseMs: number): Child {
  return startProgram('./stubborn-worker.ts', [url, schema, String(leaseMs), 'dbos']);
}

/** A promise and what settles it. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}
