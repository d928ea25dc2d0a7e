import { dbosEngine } from '../../../packages/fullstop/src/engines/dbos/index.js';
import type { Clock } from '../../../packages/fullstop/src/engines/port/clock.js';
import { postgresEngine } from '../../../packages/fullstop/src/engines/postgres/index.js';
import type { StoreEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';

export interface ServerEngineOptions {
  readonly url: string;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly clock?: Clock;
}

/** The engines whose store is on a server, by the name that `--engine` takes. */
export const serverEngines = {
  postgres: (options: ServerEngineOptions): StoreEngine => postgresEngine({ ...options, connections: 4 }),
  dbos: (options: ServerEngineOptions): StoreEngine => dbosEngine({ ...options, connections: 4 }),
} as const;

export type ServerEngineName = keyof typeof serverEngines;

export function isServerEngine(name: string): name is ServerEngineName {
  return Object.hasOwn(serverEngines, name);
}
