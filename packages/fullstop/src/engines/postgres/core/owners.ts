import type { LostOwner } from '../../port/engine.js';
import type { Claimant } from '../../store/operations.js';
import type { Context } from './context.js';

/** The first half of the numbers of locks that tell of living processes; the second is the process's own. */
export const livenessClass = 0x4653_5450;

interface OwnerRow {
  readonly owner: string;
  readonly process: string | null;
  readonly seen_at: number | null;
  readonly lease_ms: number | null;
  /** Null where it has no session. */
  readonly lock: number | null;
  readonly is_locked: boolean;
  readonly silence: number | null;
}

/** How an owner is, in the time of the database. */
export interface OwnerState {
  /** Undefined while it has its runs. */
  readonly lost?: LostOwner | undefined;
  /** When it was last seen, if that is longer ago than its lease. */
  readonly silentSince?: number | undefined;
}

/**
 * How owners are. The lock of a process is gone when its session is, however it died; a process that is frozen, or cut off while the server
 * does not know, is silent for longer than its lease.
 */
export async function ownerStates(
  { sql }: Pick<Context, 'sql'>,
  owners: readonly string[],
): Promise<ReadonlyMap<string, OwnerState>> {
  if (owners.length === 0) return new Map();
  const rows = await sql.rows<OwnerRow>(
    `SELECT o.owner, w.process, w.lock, w.lease_ms, (extract(epoch FROM w.seen_at) * 1000)::bigint AS seen_at,
       (extract(epoch FROM clock_timestamp() - w.seen_at) * 1000)::bigint AS silence,
       EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.classid::bigint = $2 AND l.objid::bigint = w.lock AND l.objsubid = 2
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS is_locked
     FROM unnest($1::text[]) AS o(owner) LEFT JOIN @workers w ON w.id = o.owner`,
    [owners, livenessClass],
  );
  return new Map(rows.map((row) => [row.owner, stateOf(row)]));
}

function stateOf({ owner, process, seen_at, lease_ms, lock, is_locked, silence }: OwnerRow): OwnerState {
  if (process === null || seen_at === null || lease_ms === null || silence === null)
    return { lost: { how: 'died', process: owner } };
  const known = { process, lastSeenAt: seen_at };
  if (lock !== null && !is_locked) return { lost: { how: 'died', ...known } };
  if (silence <= lease_ms) return {};
  return { lost: { how: 'silent', ...known }, silentSince: seen_at };
}

/** Writes a sign of life. */
export async function register({ sql }: Context, { owner, leaseMs }: Claimant, lock: number | null): Promise<void> {
  sql.later(
    `INSERT INTO @workers (id, process, lock, seen_at, lease_ms) VALUES ($1, $2, $3, clock_timestamp(), $4)
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, lock = excluded.lock`,
    [owner.id, `${owner.pid} on ${owner.host}`, lock, leaseMs],
  );
}

// Counts the losses since the last entry; an entry in between starts the count anew.
const lastSeq = '(SELECT max(seq) FROM @journal WHERE run = runs.id)';
export const countDeath: string = `recoveries = CASE WHEN recovery_seq = ${lastSeq} THEN recoveries + 1 ELSE 1 END, recovery_seq = ${lastSeq}`;
/** The losses since the last entry; so few that they are kept with the run. */
const noteLoss = `lost_owners = CASE WHEN recovery_seq = ${lastSeq} AND lost_owners IS NOT NULL
  THEN (lost_owners::jsonb || jsonb_build_array($2::jsonb))::text ELSE jsonb_build_array($2::jsonb)::text END`;
export const setReady = "state = 'ready', owner = NULL, epoch = epoch + 1";

/**
 * Makes the runs of an owner that is gone ready for others, unless it has shown meanwhile that it lives. Its rows are locked in order, as
 * everywhere, and its sign of life with them: it cannot be renewed between the look at it and the release.
 */
export async function releaseRunsOf({ sql, locked }: Context, owner: string): Promise<number> {
  await sql.rows("SELECT id FROM @runs WHERE owner = $1 AND state = 'running' ORDER BY id FOR UPDATE", [owner]);
  await sql.rows('SELECT id FROM @workers WHERE id = $1 FOR UPDATE', [owner]);
  const lost = (await ownerStates({ sql }, [owner])).get(owner)?.lost;
  if (lost === undefined) return 0;
  const freed = await sql.run(
    `UPDATE @runs AS runs SET ${setReady}, ${noteLoss}, ${countDeath} WHERE owner = $1 AND state = 'running'`,
    [owner, JSON.stringify(lost)],
  );
  sql.later('DELETE FROM @workers WHERE id = $1', [owner]);
  locked.clear();
  return freed;
}

/** The owners of runs besides one. */
export async function otherOwners({ sql }: Pick<Context, 'sql'>, ownerId: string): Promise<readonly string[]> {
  const rows = await sql.rows<{ owner: string }>(
    'SELECT DISTINCT owner FROM @runs WHERE owner IS NOT NULL AND owner <> $1',
    [ownerId],
  );
  return rows.map(({ owner }) => owner);
}
