import { dbosEngine } from 'fullstop/engines/dbos';
import type { StoreEngine } from 'fullstop/engines/postgres';
import { postgresEngine } from 'fullstop/engines/postgres';

/** Who decides when a worker takes which run. */
export type StoreName = 'dbos' | 'postgres';

export function openStore(name: string, url: string, leaseMs = 15_000): StoreEngine {
  return name === 'dbos' ? dbosEngine({ url, leaseMs }) : postgresEngine({ url, leaseMs });
}
