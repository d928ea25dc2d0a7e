import { randomUUID } from 'node:crypto';
import type { Database, Driver, Statement } from '../driver/driver.js';
import { migrate } from '../migrations/migrate.js';
import { storeErrorOf } from '../store-error.js';
import { FileGuard } from './file/file-guard.js';
import { refuseLostCommits } from './file/lost-commits.js';
import { openToRead } from './file/open-to-read.js';
import { makePrivateFile } from './file/private-file.js';
import type { Columns } from './rows/columns.js';
import { Select } from './rows/select.js';

export interface ConnectionOptions {
  readonly driver: Driver;
  readonly file: string;
  readonly busyTimeoutMs: number;
  readonly readOnly?: boolean;
}

const pragmas: readonly string[] = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'secure_delete = ON',
  // Four times the default: a page of the index that many commits have changed is copied back once for all of them.
  'wal_autocheckpoint = 4000',
];

function openToWrite({ driver, file, busyTimeoutMs }: ConnectionOptions): Database {
  let database: Database | undefined;
  try {
    if (file !== ':memory:') makePrivateFile(file);
    database = driver.open(file);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    // Looks at the file before anything is changed, so that a file of someone else stays as it is.
    migrate(database, file);
    for (const pragma of pragmas) database.exec(`PRAGMA ${pragma}`);
    refuseLostCommits(database, file);
    return database;
  } catch (error) {
    database?.close();
    throw storeErrorOf(error, file);
  }
}

/** One connection with its prepared statements. */
export class Connection {
  readonly file: string;
  /** Distinguishes connections, also those of several threads: each counts for itself. */
  readonly id: string = randomUUID();
  readonly #database: Database;
  readonly #guard: FileGuard;
  readonly #isReadOnly: boolean;
  readonly #statements = new Map<string, Statement<unknown>>();
  readonly #selects = new Map<object, Map<string, unknown>>();

  constructor(options: ConnectionOptions) {
    this.file = options.file;
    this.#isReadOnly = options.readOnly === true;
    this.#database = this.#isReadOnly ? openToRead(options) : openToWrite(options);
    this.#guard = new FileGuard(options.file);
  }

  /** Rows of the file. `from` is what follows the columns; each pair is prepared once. */
  select<TRow>(columns: Columns<TRow>, from: string): Select<TRow> {
    let known = this.#selects.get(columns);
    if (known === undefined) {
      known = new Map();
      this.#selects.set(columns, known);
    }
    let select = known.get(from) as Select<TRow> | undefined;
    if (select === undefined) {
      select = new Select(this.#database, columns, from);
      known.set(from, select);
    }
    return select;
  }

  /** A statement that writes, and returns at most numbers that SQLite makes: what is in the file is read with `select`. */
  sql<TRow>(text: string): Statement<TRow> {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement as Statement<TRow>;
  }

  /** Runs a statement that must not be within a transaction and is not worth keeping. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Throws where the file was deleted, moved or replaced under us. */
  checkFile(): void {
    this.#guard.check();
  }

  /** Everything or nothing. */
  transaction<T>(work: () => T): T {
    this.checkFile();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  #rollback(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // A full disk or a failing write has rolled back already; the first error is the one that matters.
    }
  }

  /** Counts up whenever another connection has committed something. */
  get dataVersion(): number {
    return this.sql<{ data_version: number }>('PRAGMA data_version').get()?.data_version ?? 0;
  }

  /** Folds the log in, so that the file alone is everything; where others use it, the last of them does. */
  close(): void {
    try {
      if (!this.#isReadOnly && this.#guard.isThere) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log stays beside the file and loses nothing.
    }
    // With libsql the file is released once its statements are collected, so nothing here may keep them.
    this.#statements.clear();
    this.#selects.clear();
    this.#database.close();
  }
}
