import { addressOf } from '../core/file/open-mode.js';
import { boundValues } from './bound-values.js';
import type { Database, Driver, LoadModule, SqlValue, Statement } from './driver.js';

// Written out here, so that the library compiles without libsql's types.
interface LibsqlStatement {
  run(values: readonly SqlValue[]): { readonly changes: number };
  get(values: readonly SqlValue[]): unknown;
  all(values: readonly SqlValue[]): readonly unknown[];
}

interface LibsqlDatabase {
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
  prepare(sql: string): LibsqlStatement;
  close(): unknown;
}

type LibsqlModule = new (file: string) => LibsqlDatabase;

/** SQLite through libsql, if it is installed. */
export function libsqlDriver(load: LoadModule): Driver | undefined {
  const Libsql = load('libsql') as LibsqlModule | undefined;
  return (
    Libsql && {
      name: 'libsql',
      open: (file, mode = 'write') => openLibsql(Libsql, mode === 'write' ? file : addressOf(file, mode)),
    }
  );
}

function openLibsql(Libsql: LibsqlModule, file: string): Database {
  const database = new Libsql(file);
  return {
    get inTransaction() {
      return database.inTransaction;
    },
    exec: (sql) => {
      database.exec(sql);
    },
    prepare: <TRow>(sql: string): Statement<TRow> => {
      const statement = database.prepare(sql);
      // Always one array: a single null would be taken for a missing object of named values.
      return {
        run: (...values) => statement.run(boundValues(values)).changes,
        runWith: (values) => statement.run(boundValues(values)).changes,
        get: (...values) => statement.get(boundValues(values)) as TRow | undefined,
        all: (...values) => statement.all(boundValues(values)) as readonly TRow[],
      };
    },
    close: () => {
      database.close();
    },
  };
}
