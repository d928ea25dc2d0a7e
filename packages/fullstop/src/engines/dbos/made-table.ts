import type { Sql } from '../postgres/connection/sql.js';

/** A table of DBOS. It makes them statement by statement: one that lacks the columns which come last is still being made. */
interface DbosTable {
  readonly name: string;
  readonly lateColumns: readonly string[];
}

export const dispatchTable: DbosTable = {
  name: 'workflow_status',
  lateColumns: ['attributes', 'completed_at', 'schedule_name'],
};
export const scheduleTable: DbosTable = { name: 'workflow_schedules', lateColumns: ['application_name'] };

/**
 * True where DBOS has made a table and this role has these rights to it. Whoever only starts and reads runs may have none, and before the first
 * worker is launched there are no tables. Without a right to the schema even their names are refused.
 */
export async function isMade(
  sql: Sql,
  dbosSchema: string,
  { name, lateColumns, rights }: DbosTable & { readonly rights?: readonly ('DELETE' | 'SELECT')[] },
): Promise<boolean> {
  const row = await sql.row(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2
       AND (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = ANY($3) AND NOT a.attisdropped) = cardinality($3::text[])
       AND ($4::text[] IS NULL OR (has_schema_privilege(n.oid, 'USAGE') AND (SELECT bool_and(has_table_privilege(c.oid, r)) FROM unnest($4) r)))`,
    [dbosSchema, name, lateColumns, rights ?? null],
  );
  return row !== undefined;
}
