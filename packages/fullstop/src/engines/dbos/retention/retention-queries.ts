import type { Sql } from '../../postgres/connection/sql.js';
import { dispatchMark, segmentWorkflow, storeAttribute } from '../dispatch.js';
import type { Tables } from '../dispatch-queries.js';
import { presenceClass } from '../presence-class.js';
import { tickWorkflow } from '../schedules/tick.js';

/** The statuses of workflows that DBOS executes no more, unless an operator wants it. */
const finished = "('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')";

/** Where a pass through the finished workflows is: they are looked at in the order in which they ended. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** Everything before the oldest workflow. */
export const beginning: Place = { at: -1, id: '' };

export interface AgedQuery {
  readonly after: Place;
  readonly keepMs: number;
  readonly limit: number;
}

export interface AgedWorkflows {
  /** Those that nothing needs any more. */
  readonly ids: readonly string[];
  /** Where the next look begins; undefined when there is nothing beyond. */
  readonly next: Place | undefined;
}

/**
 * What a status of a dispatch still says to its run: cancelled or given up in DBOS, it ends the run as soon as somebody looks; and that of a run
 * that is executed is what operators look at. Epochs only rise, so that a dispatch that no run has an eye on never matters again.
 */
function isOver(schema: string): string {
  return `(w.name = '${segmentWorkflow}' AND coalesce(w.attributes->>'store', '') = '${storeAttribute(schema) ?? ''}' AND w.status IN ${finished}
    AND NOT EXISTS (SELECT 1 FROM @runs r WHERE r.run_id = w.attributes->>'runId'
      AND ((r.state IN ('ready', 'parked') AND r.epoch <= (w.attributes->>'epoch')::bigint)
        OR (r.state = 'running' AND r.epoch <= (w.attributes->>'epoch')::bigint + 1))))`;
}

/**
 * Ticks that failed are for whoever starts lost ones. The last tick of a schedule and those after it stay: DBOS makes up for what is missing after
 * the last one, and would queue again what an operator cancelled. Ids of ticks end in their instant, in a form that sorts.
 */
function isPastTick(dbosSchema: string, mark: string): string {
  return `(w.name = '${tickWorkflow}' AND w.schedule_name IS NOT NULL AND coalesce(substring(w.schedule_name FROM '@.*'), '') = ${mark}
    AND w.status IN ('SUCCESS', 'CANCELLED')
    AND NOT EXISTS (SELECT 1 FROM "${dbosSchema}".workflow_schedules s WHERE s.schedule_name = w.schedule_name
      AND right(w.workflow_uuid, ${instantLength}) >= s.last_fired_at COLLATE "C"))`;
}

const instantLength = new Date(0).toISOString().length;

/**
 * Looks at some workflows that ended long ago, by the clock of the database. What stays, or belongs to other stores and programs, is passed over
 * and not looked at again before the next worker starts.
 */
export async function findAged(sql: Sql, tables: Tables, { after, keepMs, limit }: AgedQuery): Promise<AgedWorkflows> {
  const rows = await sql.rows<{ id: string; at: number; over: boolean | null }>(
    `WITH w AS (SELECT workflow_uuid, completed_at, name, status, attributes, schedule_name FROM "${tables.dbosSchema}".workflow_status
       WHERE completed_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1::bigint AND (completed_at, workflow_uuid) > ($2::bigint, $3::text)
       ORDER BY completed_at, workflow_uuid LIMIT $4)
     SELECT workflow_uuid AS id, completed_at AS at, ${isOver(tables.schema)} OR ${isPastTick(tables.dbosSchema, '$5')} AS over FROM w ORDER BY completed_at, workflow_uuid`,
    [keepMs, after.at, after.id, limit, dispatchMark(tables.schema)],
  );
  const last = rows.at(-1);
  return {
    ids: rows.filter(({ over }) => over === true).map(({ id }) => id),
    next: last === undefined || rows.length < limit ? undefined : { at: last.at, id: last.id },
  };
}

/** The finished dispatches of some runs, however young. */
export async function findDispatches(
  sql: Sql,
  { schema, dbosSchema }: Tables,
  runIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql.rows<{ id: string }>(
    `SELECT w.workflow_uuid AS id FROM unnest($1::text[]) AS removed(run_id)
     JOIN "${dbosSchema}".workflow_status w ON w.attributes @> jsonb_build_object('runId', removed.run_id) WHERE ${isOver(schema)}`,
    [runIds],
  );
  return rows.map(({ id }) => id);
}

/**
 * Removes workflows with everything that DBOS keeps of them. Which tables that is the catalogue says, so that it stays right when a later version of
 * DBOS adds one. Whatever was resumed or rewound meanwhile stays.
 */
export async function removeWorkflows(sql: Sql, { dbosSchema }: Tables, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await sql.rows<{ id: string }>(
    `DELETE FROM "${dbosSchema}".workflow_status WHERE workflow_uuid = ANY($1::text[]) AND status IN ${finished} RETURNING workflow_uuid AS id`,
    [ids],
  );
  const parts = await sql.rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workflow_uuid' AND NOT a.attisdropped
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND c.relname <> 'workflow_status' ORDER BY c.relname`,
    [dbosSchema],
  );
  for (const { name } of parts)
    sql.later(`DELETE FROM "${dbosSchema}"."${name}" WHERE workflow_uuid = ANY($1::text[])`, [
      rows.map(({ id }) => id),
    ]);
}

/** The lock of whoever removes workflows of a store, until the transaction is over. */
const turn = '($1, hashtext($2))';

function turnOf({ schema, dbosSchema }: Tables): readonly unknown[] {
  return [presenceClass, `retention ${dbosSchema} ${schema}`];
}

/** False while somebody else has the turn. */
export async function tryTurn(sql: Sql, tables: Tables): Promise<boolean> {
  const row = await sql.row<{ taken: boolean }>(`SELECT pg_try_advisory_xact_lock${turn} AS taken`, turnOf(tables));
  return row?.taken === true;
}

export async function awaitTurn(sql: Sql, tables: Tables): Promise<void> {
  await sql.rows(`SELECT pg_advisory_xact_lock${turn}`, turnOf(tables));
}
