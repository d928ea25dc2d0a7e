import { existsSync, mkdirSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { type SqliteEngine, sqliteEngine } from 'fullstop/engines/sqlite';
import type { Invocation } from '../command-line/command.js';
import { UsageError } from '../command-line/usage-error.js';
import type { LoadedConfig } from '../config/config.js';
import { type StoreLocation, storeLocation } from './store-location.js';

/** An open store, with how it was found. */
export interface Store {
  readonly engine: SqliteEngine;
  readonly location: StoreLocation;
  readonly loaded: LoadedConfig;
}

export type StoreInvocation = Pick<Invocation, 'cwd' | 'env' | 'loaded'> & {
  readonly options: { readonly store: string | undefined };
};

/** Opens the store, works with it and closes it whatever happens. Only who writes makes a store that is not there yet. */
export async function withStore<T>(
  invocation: StoreInvocation,
  mode: 'read' | 'write',
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { loaded } = invocation;
  const location = storeLocation({ ...invocation, option: invocation.options.store, loaded });
  if (!existsSync(location.file)) {
    if (mode === 'read') throw new NoStore(location, invocation.cwd);
    mkdirSync(dirname(location.file), { recursive: true });
  }
  const engine = sqliteEngine(location.file);
  try {
    return await work({ engine, location, loaded });
  } finally {
    await engine.close();
  }
}

/** There is no store, so there are no runs either. */
export class NoStore extends UsageError {
  constructor({ file }: StoreLocation, cwd: string) {
    const near = relative(cwd, file);
    const shown = near.startsWith('..') ? file : near;
    super(`There are no runs yet: ${shown} does not exist. fullstop run FILE makes it; --store names another.`);
    this.name = 'NoStore';
  }
}
