import { createRequire } from 'node:module';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import type { OpenMode } from '../core/file/open-mode.js';
import { libsqlDriver } from './libsql-driver.js';
import { nodeDriver } from './node-driver.js';

/** A value that a statement takes and a column holds. */
export type SqlValue = string | number | null;

/** A prepared statement. Rows may carry keys of the driver's own: read columns by name, never spread a row. */
export interface Statement<TRow> {
  /** Returns the number of rows that changed. */
  run(...values: readonly SqlValue[]): number;
  /** Like `run`, without copying a long list of values. */
  runWith(values: readonly SqlValue[]): number;
  get(...values: readonly SqlValue[]): TRow | undefined;
  all(...values: readonly SqlValue[]): readonly TRow[];
}

/** An open database file. */
export interface Database {
  readonly inTransaction: boolean;
  exec(sql: string): void;
  prepare<TRow = unknown>(sql: string): Statement<TRow>;
  close(): void;
}

/** All that we ask of a SQLite library. */
export interface Driver {
  readonly name: DriverName;
  open(file: string, mode?: OpenMode): Database;
}

/** The package that speaks to SQLite. */
export type DriverName = 'libsql' | 'node';

/** Loads a module by name; undefined when it is not there. */
export type LoadModule = (name: string) => unknown;

const require = createRequire(import.meta.url);

const loadInstalled: LoadModule = (name) => {
  try {
    return require(name) as unknown;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_UNKNOWN_BUILTIN_MODULE') return undefined;
    throw error;
  }
};

/** The driver that was asked for, or the first that is there: libsql, then node:sqlite. */
export function findDriver(wanted?: DriverName, load: LoadModule = loadInstalled): Driver {
  const drivers = { libsql: () => libsqlDriver(load), node: () => nodeDriver(load) };
  const driver = wanted === undefined ? (drivers.libsql() ?? drivers.node()) : drivers[wanted]();
  if (driver !== undefined) return driver;
  throw new FullstopError(
    'STORE_DRIVER_MISSING',
    `${describeMissing(wanted)} Install libsql (npm install libsql), or use Node 22.13 or newer, which has node:sqlite.`,
  );
}

function describeMissing(wanted: DriverName | undefined): string {
  if (wanted === 'libsql') return 'The SQLite engine was asked to use libsql, which is not installed.';
  if (wanted === 'node')
    return `The SQLite engine was asked to use node:sqlite, which Node ${process.versions.node} does not have.`;
  return `The SQLite engine found no SQLite library: libsql is not installed, and Node ${process.versions.node} has no node:sqlite.`;
}
