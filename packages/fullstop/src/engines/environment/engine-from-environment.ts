import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PostgresSettings } from '../postgres/options.js';
import type { SqliteEngineOptions } from '../sqlite/options.js';
import type { StoreEngine } from '../store/engine-options.js';
import { storePlace, storeVariable, usualStore } from './store-place.js';

/** Options of an engine on whichever store the environment names. */
export interface EnvironmentOptions {
  /** The store where FULLSTOP_STORE is not set: a file, or the address of a database. `.fullstop/runs.db` unless given, as for the command line. */
  readonly store?: string;
  /** Options for a store that is a file. */
  readonly sqlite?: SqliteEngineOptions;
  /** Options for a store on Postgres, besides its address. */
  readonly postgres?: PostgresSettings & { readonly connections?: number; readonly ssl?: boolean | object };
}

/**
 * Opens the store that the environment variable FULLSTOP_STORE names, as the command line does: a file, whose folder is made, or a database
 * (`postgres://…`). Only the engine that is needed is loaded.
 *
 * @example
 * const engine = await engineFromEnvironment();
 */
export async function engineFromEnvironment(options: EnvironmentOptions = {}): Promise<StoreEngine> {
  const place = storePlace(storeVariable(process.env) ?? options.store ?? usualStore, process.cwd());
  switch (place.type) {
    case 'file': {
      const { sqliteEngine } = await import('../sqlite/index.js');
      mkdirSync(dirname(place.file), { recursive: true, mode: 0o700 });
      return sqliteEngine(place.file, options.sqlite);
    }
    case 'postgres': {
      const { postgresEngine } = await import('../postgres/index.js');
      return postgresEngine({ ...options.postgres, url: place.url });
    }
    default:
      return place satisfies never;
  }
}
