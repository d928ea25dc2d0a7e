import type { ConversationPlace } from '../port/conversation-place.js';
import type { RunIdentity } from '../port/engine.js';
import type { Sql } from '../postgres/connection/sql.js';
import { type Dispatch, dispatchMark, segmentWorkflow, storeAttribute } from './dispatch.js';
import { dispatchTable, isMade } from './made-table.js';
import type { UnservedRuns } from './options.js';
import { executorName, listenPrefix, servedPrefix, versionPrefix } from './presence.js';
import { presenceClass } from './presence-class.js';
import { tickWorkflow } from './schedules/tick.js';

/** The queue of DBOS itself, which all its processes listen to. */
const ownQueue = '_dbos_internal_queue';

/** The store of ours and the tables of DBOS beside it. */
export interface Tables {
  readonly schema: string;
  readonly dbosSchema: string;
}

/** A run that can continue, with the workflow of its dispatch as DBOS has it. */
export interface ReadyRun {
  readonly identity: RunIdentity;
  readonly dispatch: Dispatch;
  /** The run at the top of the tree that it was spawned in: itself where nobody spawned it. */
  readonly root: string;
  /** Undefined where it is not queued yet. */
  readonly status: string | undefined;
}

interface ReadyRow {
  readonly run_id: string;
  readonly name: string;
  readonly version: string;
  readonly parent_run: string | null;
  readonly parent_scope: string | null;
  readonly conversation: string | null;
  readonly turn: number | null;
  readonly next_segment: number;
  readonly epoch: number;
  readonly status: string | null;
  readonly root: string;
}

/** The hashes of everything that is present, in any process. */
const present = `present AS (SELECT objid::bigint AS hash FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = $1 AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;

function isPresent(name: string): string {
  return `(hashtext(${name})::bigint & 4294967295) IN (SELECT hash FROM present)`;
}

/** The run at the top of the tree that a run was spawned in. A parent that was pruned is the top. */
function rootOf(run: string): string {
  return `(WITH RECURSIVE up(run_id, parent_run, depth) AS (SELECT ${run}.run_id, ${run}.parent_run, 0
      UNION ALL SELECT up.parent_run, r.parent_run, depth + 1 FROM up LEFT JOIN @runs r ON r.run_id = up.parent_run
        WHERE up.parent_run IS NOT NULL AND depth < 100)
    SELECT run_id FROM up ORDER BY depth DESC LIMIT 1)`;
}

/** A run that was paused continues with its next segment. */
const nextSegment = "CASE WHEN state = 'parked' AND ending_seq IS NOT NULL THEN segment + 1 ELSE segment END";

export interface ReadyQuery {
  readonly names: readonly string[];
  readonly versions: readonly string[];
  readonly now: number;
  readonly limit: number;
  /** How long a worker may have a dispatch without claiming its run. */
  readonly patienceMs: number;
}

/** The runs that can continue and are not queued, or whose dispatch came to nothing. */
export async function findReady(
  sql: Sql,
  { schema, dbosSchema }: Tables,
  query: ReadyQuery,
): Promise<readonly ReadyRun[]> {
  const rows = await sql.rows<ReadyRow>(
    `WITH ${present}, ready AS (
       SELECT id, run_id, name, version, parent_run, parent_scope, conversation, turn, epoch, ${nextSegment} AS next_segment
       FROM @runs JOIN unnest($2::text[], $3::text[]) AS d(name, version) USING (name, version)
       WHERE damaged_seq IS NULL AND (state = 'ready' OR (state = 'parked' AND wake_at <= $4)))
     SELECT ready.*, w.status, ${rootOf('ready')} AS root FROM ready
     LEFT JOIN "${dbosSchema}".workflow_status w ON w.workflow_uuid = run_id || ':' || next_segment || ':' || epoch || $5
     WHERE w.workflow_uuid IS NULL
       OR w.status NOT IN ('ENQUEUED', 'DELAYED', 'PENDING')
       OR (w.status = 'PENDING' AND (NOT ${isPresent(`'${executorName('')}' || w.executor_id`)}
           OR w.started_at_epoch_ms < extract(epoch FROM clock_timestamp()) * 1000 - $6))
       OR (w.status IN ('ENQUEUED', 'DELAYED') AND NOT ${isPresent(`'${versionPrefix}' || w.application_version`)})
     ORDER BY id LIMIT $7`,
    [presenceClass, query.names, query.versions, query.now, dispatchMark(schema), query.patienceMs, query.limit],
  );
  return rows.map((row) => toReady(row, schema));
}

function toReady(row: ReadyRow, schema: string): ReadyRun {
  const { run_id: runId, name, version, parent_run: parent, parent_scope: scope, conversation: id, turn } = row;
  const place: ConversationPlace | undefined = id === null || turn === null ? undefined : { id, turn };
  return {
    identity: {
      runId,
      name,
      version,
      ...(parent !== null && { parent: { runId: parent, scope: scope ?? '' } }),
      ...(place !== undefined && { conversation: place }),
    },
    dispatch: { schema, runId, name, version, segment: row.next_segment, epoch: row.epoch },
    root: row.root,
    status: row.status ?? undefined,
  };
}

/** When the next run of these definitions is due. */
export async function nextWaking(sql: Sql, { names, versions, now }: ReadyQuery): Promise<number | undefined> {
  const row = await sql.row<{ wake_at: number | null }>(
    `SELECT min(wake_at) AS wake_at FROM @runs JOIN unnest($1::text[], $2::text[]) AS d(name, version) USING (name, version)
     WHERE wake_at > $3 AND state = 'parked' AND damaged_seq IS NULL`,
    [names, versions, now],
  );
  return row?.wake_at ?? undefined;
}

/**
 * Makes a dispatch that came to nothing worthless, whoever still has it, so that the run is queued anew. With losses, the run
 * counts as one that cost so many owners their life.
 */
export async function raiseEpoch(
  sql: Sql,
  { runId, epoch }: Pick<Dispatch, 'epoch' | 'runId'>,
  losses?: number,
): Promise<boolean> {
  const raised = await sql.run(
    `UPDATE @runs AS runs SET epoch = epoch + 1,
       recoveries = CASE WHEN $3::int IS NULL THEN recoveries ELSE greatest(recoveries, $3::int) END,
       recovery_seq = CASE WHEN $3::int IS NULL THEN recovery_seq ELSE (SELECT max(seq) FROM @journal WHERE run = runs.id) END
     WHERE run_id = $1 AND epoch = $2 AND state IN ('ready', 'parked')`,
    [runId, epoch, losses ?? null],
  );
  return raised > 0;
}

/** True while a dispatch is the one that its run waits for. */
export async function isAwaited(sql: Sql, { runId, epoch }: Dispatch): Promise<boolean> {
  const row = await sql.row("SELECT 1 FROM @runs WHERE run_id = $1 AND epoch = $2 AND state IN ('ready', 'parked')", [
    runId,
    epoch,
  ]);
  return row !== undefined;
}

/** Which of these dispatches somebody cancelled in DBOS while their runs are executed. */
export async function findCancelled(
  sql: Sql,
  { dbosSchema }: Tables,
  active: readonly (readonly [id: string, dispatch: Dispatch])[],
): Promise<readonly { readonly id: string; readonly runId: string }[]> {
  if (active.length === 0) return [];
  const [ids, dispatches] = [active.map(([id]) => id), active.map(([, dispatch]) => dispatch)];
  return sql.rows<{ id: string; runId: string }>(
    `SELECT d.id, r.run_id AS "runId" FROM unnest($1::text[], $2::text[], $3::bigint[]) AS d(id, run_id, epoch)
     JOIN @runs r ON r.run_id = d.run_id AND r.epoch = d.epoch + 1 AND r.state = 'running'
     JOIN "${dbosSchema}".workflow_status w ON w.workflow_uuid = d.id AND w.status = 'CANCELLED'`,
    [ids, dispatches.map(({ runId }) => runId), dispatches.map(({ epoch }) => epoch)],
  );
}

/** The dispatches of one store among the workflows of DBOS, beside the runs that they are for. */
const ofStore = "w.name = $2 AND coalesce(w.attributes->>'store', '') = $3";

/** Somebody executes the run under the claim of this dispatch, or of whoever claimed it in its place. */
const isExecuted =
  "EXISTS (SELECT 1 FROM @runs r WHERE r.run_id = d.run_id AND r.epoch = d.epoch + 1 AND r.state = 'running')";

/** Workflows that DBOS believes to be running and that no run is executed for. */
export interface StrandedDispatches {
  /** Those that nobody ever will execute. */
  readonly stranded: readonly string[];
  /** True where there are others: about to claim their run, about to say what it came to, or those of a process whose death is not noticed yet. */
  readonly isInDoubt: boolean;
}

/**
 * Finds the workflows that DBOS believes to be running although their process is gone, or their run was taken from it. They would use up the
 * limits of their queues for ever. Those that a run still waits for are made worthless first, so that it is queued anew. While a run is executed
 * its dispatch is left alone, whatever its process shows: cancelled in DBOS it would say that an operator wants the run to end. An owner that
 * is dead loses the run first.
 */
export async function findStranded(
  sql: Sql,
  { schema, dbosSchema }: Tables,
  patienceMs: number,
): Promise<StrandedDispatches> {
  const found = await sql.rows<{ id: string; run_id: string; epoch: number; is_stranded: boolean }>(
    `WITH ${present}, d AS (
       SELECT workflow_uuid AS id, w.attributes->>'runId' AS run_id, (w.attributes->>'epoch')::bigint AS epoch, executor_id, started_at_epoch_ms
       FROM "${dbosSchema}".workflow_status w WHERE w.status = 'PENDING' AND ${ofStore})
     SELECT id, run_id, epoch, NOT ${isPresent(`'${executorName('')}' || executor_id`)}
       OR (started_at_epoch_ms < extract(epoch FROM clock_timestamp()) * 1000 - $4
         AND EXISTS (SELECT 1 FROM @runs r WHERE r.run_id = d.run_id AND r.epoch > d.epoch + 1)) AS is_stranded
     FROM d WHERE NOT ${isExecuted} ORDER BY is_stranded DESC, run_id LIMIT 1000`,
    [presenceClass, segmentWorkflow, storeAttribute(schema) ?? '', patienceMs],
  );
  const rows = found.filter((row) => row.is_stranded);
  for (const { run_id: runId, epoch } of rows) await raiseEpoch(sql, { runId, epoch });
  const isInDoubt = rows.length < found.length;
  if (rows.length === 0) return { stranded: [], isInDoubt };
  // Whose run was claimed before its epoch could be raised is executed after all. Nobody can claim it under that epoch any more.
  const stranded = await sql.rows<{ id: string }>(
    `SELECT id FROM unnest($1::text[], $2::text[], $3::bigint[]) AS d(id, run_id, epoch) WHERE NOT ${isExecuted}`,
    [rows.map(({ id }) => id), rows.map((row) => row.run_id), rows.map(({ epoch }) => epoch)],
  );
  return { stranded: stranded.map(({ id }) => id), isInDoubt: isInDoubt || stranded.length < rows.length };
}

/**
 * The ticks of schedules of one store that came to nothing: queued for a version that has no process, begun by a process that died, or failed.
 * What an operator cancelled is not meant to happen.
 */
export async function findLostTicks(sql: Sql, { schema, dbosSchema }: Tables): Promise<readonly string[]> {
  const rows = await sql.rows<{ workflow_uuid: string }>(
    `WITH ${present} SELECT w.workflow_uuid FROM "${dbosSchema}".workflow_status w
     WHERE w.schedule_name IS NOT NULL AND w.name = $2 AND coalesce(substring(w.schedule_name FROM '@.*'), '') = $3
       AND (w.status IN ('ERROR', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
         OR (w.status = 'PENDING' AND NOT ${isPresent(`'${executorName('')}' || w.executor_id`)})
         OR (w.status = 'ENQUEUED' AND NOT ${isPresent(`'${versionPrefix}' || w.application_version`)}))
     LIMIT 100`,
    [presenceClass, tickWorkflow, dispatchMark(schema)],
  );
  return rows.map(({ workflow_uuid: id }) => id);
}

/** Counts the runs whose definitions nobody has, and those on queues that nobody listens to who may take them. */
export async function findUnserved(sql: Sql, tables: Tables): Promise<readonly UnservedRuns[]> {
  const undefinedRuns = await sql.rows<UnservedRuns>(
    `WITH ${present} SELECT name, version, count(*) FILTER (WHERE state <> 'parked')::int AS ready, count(*) FILTER (WHERE state = 'parked')::int AS parked
     FROM @runs WHERE state IN ('ready', 'parked') AND damaged_seq IS NULL AND NOT ${isPresent("$2 || name || E'\\n' || version")}
     GROUP BY name, version ORDER BY name, version`,
    [presenceClass, servedPrefix(tables.schema)],
  );
  const isReadable = await isMade(sql, tables.dbosSchema, { ...dispatchTable, rights: ['SELECT'] });
  return isReadable ? [...undefinedRuns, ...(await findUnheard(sql, tables))] : undefinedRuns;
}

/**
 * Counts the runs that are queued for a version of which a process is there, but none that listens to their queue. Another version
 * may do so in vain: DBOS hands it none of them.
 */
function findUnheard(sql: Sql, { schema, dbosSchema }: Tables): Promise<readonly UnservedRuns[]> {
  return sql.rows<UnservedRuns>(
    `WITH ${present}, waiting AS (SELECT name, version, run_id || ':' || ${nextSegment} || ':' || epoch || $2 AS id FROM @runs WHERE state IN ('ready', 'parked') AND damaged_seq IS NULL)
     SELECT r.name, r.version, w.queue_name AS queue, count(*)::int AS ready, 0 AS parked
     FROM waiting r JOIN "${dbosSchema}".workflow_status w ON w.workflow_uuid = r.id
     WHERE w.status IN ('ENQUEUED', 'DELAYED') AND w.queue_name <> $4 AND ${isPresent(`'${versionPrefix}' || w.application_version`)}
       AND NOT ${isPresent("$3 || w.application_version || E'\\n' || w.queue_name")} AND NOT ${isPresent("$3 || w.application_version || E'\\n'")}
     GROUP BY r.name, r.version, w.queue_name ORDER BY r.name, r.version, w.queue_name`,
    [presenceClass, dispatchMark(schema), listenPrefix(dbosSchema), ownQueue],
  );
}
