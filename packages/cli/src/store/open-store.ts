import { mkdirSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { FullstopError } from 'fullstop';
import { type SqliteEngine, type SqliteEngineOptions, type StoreEngine, sqliteEngine } from 'fullstop/engines/sqlite';
import type { Invocation } from '../command-line/command.js';
import { UsageError } from '../command-line/usage-error.js';
import type { LoadedConfig } from '../config/config.js';
import { type StoreLocation, storeLocation } from './store-location.js';

/** An open store, with how it was found. */
export interface Store {
  readonly engine: StoreEngine;
  readonly location: StoreLocation;
  readonly loaded: LoadedConfig;
}

export type StoreInvocation = Pick<Invocation, 'cwd' | 'env' | 'loaded'> & {
  readonly options: { readonly store: string | undefined };
};

/** How a command uses the store: it only reads, changes what is there, or makes the store where there is none: in any place, or only in the usual one. */
export type StoreUse = 'read' | 'change' | 'make' | 'make-usual';

/** Opens the store, works with it and closes it whatever happens. Only a command that makes runs makes a store. */
export async function withStore<T>(
  invocation: StoreInvocation,
  use: StoreUse,
  work: (store: Store) => Promise<T>,
  open: StoreOpener = openStore,
): Promise<T> {
  const { loaded } = invocation;
  const location = storeLocation({ ...invocation, option: invocation.options.store, loaded });
  const engine = await open(location, use, invocation.cwd);
  try {
    return await work({ engine, location, loaded });
  } finally {
    await engine.close();
  }
}

/** How a store is opened, for a command that needs another engine on it than usual. */
export type StoreOpener = (location: StoreLocation, use: StoreUse, cwd: string) => Promise<StoreEngine>;

const openStore: StoreOpener = openerOf({});

/** For a command that removes runs: what DBOS keeps of them goes too, where there is DBOS. */
export const openUpkeep: StoreOpener = async (location, use, cwd) => {
  if (location.server === undefined) return openStore(location, use, cwd);
  const { dbosEngine } = await import('fullstop/engines/dbos');
  return dbosEngine({ url: location.server });
};

/** For a command that serves others while it reads: a file is then used from a thread of its own. */
export const openInThread: StoreOpener = openerOf({ thread: true });

function openerOf(options: Pick<SqliteEngineOptions, 'thread'>): StoreOpener {
  return async (location, use, cwd) => {
    const { file, server } = location;
    if (server !== undefined) return openServer(server);
    if (use === 'make' || (use === 'make-usual' && !isNamed(location)))
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    else refuseMissing(location, cwd);
    return use === 'read' ? openToRead(file, options) : sqliteEngine(file, options);
  };
}

/** Loaded when it is needed: few commands have to wait for it. */
export async function openServer(url: string): Promise<StoreEngine> {
  const { postgresEngine } = await import('fullstop/engines/postgres');
  return postgresEngine({ url });
}

/** A store that may not be written is read as it is; any other is brought up to date. */
export function openToRead(file: string, options: Pick<SqliteEngineOptions, 'thread'> = {}): SqliteEngine {
  try {
    return sqliteEngine(file, options);
  } catch (error) {
    if (!FullstopError.is(error) || error.code !== 'STORE_READ_ONLY') throw error;
    return sqliteEngine(file, { ...options, readOnly: true });
  }
}

function refuseMissing(location: StoreLocation, cwd: string): void {
  const size = statSync(location.file, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new NoStore(location, cwd);
  // SQLite would make a store of it.
  if (size === 0)
    throw new UsageError(`${shownPath(location.file, cwd)} is empty: it is not a store. Nothing was made.`);
}

/** There is no store, so there are no runs either. */
export class NoStore extends UsageError {
  /** True where somebody named a file. */
  readonly isNamed: boolean;

  constructor({ file, origin }: StoreLocation, cwd: string) {
    const shown = shownPath(file, cwd);
    const named = isNamed({ origin });
    super(
      named
        ? `There is no store ${shown}, which ${origin} names. Nothing was made. Correct the path, or make the store with the first run: fullstop run FILE --store ${shown}`
        : `There are no runs yet: ${shown} does not exist. fullstop run FILE makes it; --store names another.`,
    );
    this.name = 'NoStore';
    this.isNamed = named;
  }
}

/** A path that somebody has just named and that is not there is more likely misspelt than new. */
function isNamed({ origin }: Pick<StoreLocation, 'origin'>): boolean {
  return origin === '--store' || origin === 'FULLSTOP_STORE';
}

function shownPath(file: string, cwd: string): string {
  const near = relative(cwd, file);
  return near.startsWith('..') ? file : near;
}
