import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import type { Sql } from '../connection/sql.js';
import { version1 } from './version-1.js';
import { version2 } from './version-2.js';

/** The steps that bring a store from each version to the next; the first makes it from an empty schema. */
const steps: readonly string[] = [version1, version2];

/** The number of a lock that whoever migrates holds, so that of many that start at once one does. */
const migrationLock = 0x4653_5450;

/** Brings a store to the newest schema, in the transaction of its caller. A store that is up to date needs no rights but to read. */
export async function migrate(sql: Sql, schema: string): Promise<void> {
  if ((await versionOf(sql, schema)) === steps.length) return;
  await sql.rows('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  // Another process may have been quicker.
  const version = await versionOf(sql, schema);
  if (version === steps.length) return;
  if (version === 0) {
    await sql.exec(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    await sql.exec('CREATE TABLE @schema_version (version INTEGER NOT NULL)');
    await sql.exec('INSERT INTO @schema_version VALUES (0)');
  }
  for (const step of steps.slice(version)) await sql.exec(step);
  await sql.run('UPDATE @schema_version SET version = $1', [steps.length]);
}

async function versionOf(sql: Sql, schema: string): Promise<number> {
  const [found] = await sql.asked<{ encoding: string; table: string | null; tables: number }>(
    `SELECT pg_encoding_to_char(encoding) AS encoding, to_regclass($1)::text AS table,
       (SELECT count(*)::int FROM pg_tables WHERE schemaname = $2) AS tables
     FROM pg_database WHERE datname = current_database()`,
    [`"${schema}".schema_version`, schema],
  );
  if (found?.encoding !== 'UTF8')
    throw new FullstopError(
      'STORE_FAILED',
      `The database has the encoding ${found?.encoding ?? 'unknown'}; runs hold any text, so it must be UTF8. Give the engine a database of that encoding.`,
    );
  if (found.table === null && found.tables > 0)
    throw new FullstopError(
      'STORE_NOT_A_DATABASE',
      `The schema ${JSON.stringify(schema)} has tables of another program. Give the engine a schema of its own; it was not touched.`,
    );
  if (found.table === null) return 0;
  const [row] = await sql.asked<{ version: number }>('SELECT version FROM @schema_version', []);
  const version = row?.version ?? 0;
  if (version <= steps.length) return version;
  throw new FullstopError(
    'STORE_NEWER',
    `The schema ${JSON.stringify(schema)} was written by a newer version of fullstop (schema ${version}; this one knows schemas up to ${steps.length}). Update fullstop, or use another schema; it was not touched.`,
  );
}
