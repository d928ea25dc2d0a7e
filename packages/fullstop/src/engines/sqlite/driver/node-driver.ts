import { addressOf } from '../core/file/open-mode.js';
import { boundValues } from './bound-values.js';
import type { Database, Driver, LoadModule, SqlValue, Statement } from './driver.js';

// Written out here, because the types of the oldest Node that we support do not know node:sqlite.
interface NodeStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): readonly unknown[];
}

interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}

interface NodeModule {
  readonly DatabaseSync: new (file: string, options: { readonly readOnly: boolean }) => NodeDatabase;
}

/** SQLite as it comes with Node, where it does. */
export function nodeDriver(load: LoadModule): Driver | undefined {
  const module = load('node:sqlite') as NodeModule | undefined;
  return (
    module && {
      name: 'node',
      open: (file, mode = 'write') => {
        // Addresses are not known to the first versions of node:sqlite, so one is used only where nothing else says it.
        const name = mode === 'frozen' ? addressOf(file, mode) : file;
        return openNode(new module.DatabaseSync(name, { readOnly: mode !== 'write' }));
      },
    }
  );
}

function openNode(database: NodeDatabase): Database {
  // Older versions of node:sqlite do not report this, so we follow what we execute.
  let inTransaction = false;
  return {
    get inTransaction() {
      return inTransaction;
    },
    exec: (sql) => {
      database.exec(sql);
      if (sql.startsWith('BEGIN')) inTransaction = true;
      else if (sql === 'COMMIT' || sql === 'ROLLBACK') inTransaction = false;
    },
    prepare: <TRow>(sql: string): Statement<TRow> => {
      const statement = database.prepare(sql);
      return {
        run: (...values) => Number(statement.run(...boundValues(values)).changes),
        runWith: (values) => Number(statement.run(...boundValues(values)).changes),
        get: (...values) => statement.get(...boundValues(values)) as TRow | undefined,
        all: (...values) => statement.all(...boundValues(values)) as readonly TRow[],
      };
    },
    close: () => database.close(),
  };
}
