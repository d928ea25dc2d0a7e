import { type PoolLike, Sql, type Statements } from './sql.js';
import { isDisconnected, isReadOnly } from './store-error.js';

interface Transaction {
  readonly pool: PoolLike;
  readonly statements: Statements;
  /** The statement that begins it. */
  readonly begin: string;
}

/** Everything is sent as early as it can be: a transaction waits only for what it reads, and once for all that it writes. */
export async function inTransaction<T>(
  { pool, statements, begin }: Transaction,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const sql = new Sql(client, statements);
  let isBroken = false;
  try {
    sql.later(begin);
    const result = await work(sql);
    // After a failure this is a rollback, and the failure is thrown.
    sql.later('COMMIT');
    await sql.settle();
    return result;
  } catch (thrown) {
    await sql.settle().catch(() => undefined);
    const error = sql.causeOf(thrown);
    // The next connection may lead to another server, which writes.
    isBroken = isDisconnected(error) || isReadOnly(error);
    if (!isBroken)
      await client.query({ text: 'ROLLBACK' }).catch(() => {
        isBroken = true;
      });
    throw error;
  } finally {
    client.release(isBroken);
  }
}
