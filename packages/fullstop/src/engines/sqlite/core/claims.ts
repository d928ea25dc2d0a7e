import type { LostOwner } from '../../port/engine.js';
import type { Claimant, Damage, InputOf, OutputOf } from '../../store/operations.js';
import { lifeOf } from '../liveness.js';
import { type Context, findRun, type RunRow, readRun, runColumns } from './context.js';
import { type Columns, integer, text } from './rows/columns.js';
import { isDamage } from './rows/damaged-row.js';
import { setAside } from './set-aside.js';
import { waitingMessages, wakeIfDue } from './waking.js';

/** A run that its owner has by now. Its journal is read after that is durable: a death in reading is counted like any other. */
export interface TakenRun {
  readonly row: RunRow;
  readonly epoch: number;
}

export interface TakenRuns {
  readonly taken: readonly TakenRun[];
  readonly damaged: readonly Damage[];
  readonly nextWakeAt: number | null;
}

export function claim(context: Context, { runId, claimant }: InputOf<'claim'>): TakenRun | Damage | undefined {
  let run = findRun(context, runId);
  if (run?.state === 'running' && run.owner !== null && run.owner !== claimant.owner.id) {
    const lost = lossOf(context, run.owner, claimant.monotonic);
    if (lost !== undefined) {
      releaseRunsOf(context, run.owner, lost);
      run = readRun(context, run.id);
    }
  }
  return run && take(context, run, claimant);
}

export function claimNext(context: Context, { definitions, limit, claimant }: InputOf<'claimNext'>): TakenRuns {
  const taken: TakenRun[] = [];
  const damaged: Damage[] = [];
  for (const [name, version] of definitions) {
    const wanted = { name, version, now: claimant.now, limit: limit - taken.length };
    for (const run of findCandidates(context, wanted, damaged)) {
      const one = takeOrSetAside(context, run, claimant);
      if (one === undefined) continue;
      if ('reason' in one) damaged.push(one);
      else taken.push(one);
    }
  }
  return { taken, damaged, nextWakeAt: nextWakeAt(context, definitions) };
}

/** One run that cannot be read keeps nobody from the others. */
function takeOrSetAside(context: Context, run: RunRow, claimant: Claimant): TakenRun | Damage | undefined {
  try {
    return take(context, run, claimant);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return setAside(context, run, { seq: 0, reason: error.message });
  }
}

interface Wanted {
  readonly name: string;
  readonly version: string;
  readonly now: number;
  readonly limit: number;
}

function findCandidates(context: Context, wanted: Wanted, damaged: Damage[]): readonly RunRow[] {
  const { name, version, now, limit } = wanted;
  const ready =
    "FROM runs WHERE state = 'ready' AND name = ? AND version = ? AND damaged_seq IS NULL ORDER BY id LIMIT ?";
  const due =
    "FROM runs WHERE wake_at <= ? AND state = 'parked' AND name = ? AND version = ? AND damaged_seq IS NULL ORDER BY wake_at LIMIT ?";
  const find = (from: string, values: readonly (string | number)[]): readonly RunRow[] => {
    const { connection } = context;
    return connection
      .select(runColumns, from)
      .found(...values)
      .flatMap((found) => {
        if ('row' in found) return [found.row];
        const { id, run_id: runId = '' } = found.rest;
        if (id !== undefined)
          damaged.push(
            setAside(context, { id, run_id: runId }, { seq: 0, reason: `its ${found.damaged} cannot be read` }),
          );
        return [];
      });
  };
  if (limit <= 0) return [];
  const first = find(ready, [name, version, limit]);
  return first.length === limit ? first : [...first, ...find(due, [now, name, version, limit - first.length])];
}

function nextWakeAt({ connection }: Context, definitions: InputOf<'claimNext'>['definitions']): number | null {
  const times = definitions.flatMap(([name, version]) => {
    const row = connection
      .sql<{ wake_at: number }>(
        "SELECT CAST(wake_at AS INTEGER) AS wake_at FROM runs WHERE wake_at IS NOT NULL AND state = 'parked' AND name = ? AND version = ? AND damaged_seq IS NULL ORDER BY wake_at LIMIT 1",
      )
      .get(name, version);
    return row === undefined ? [] : [row.wake_at];
  });
  return times.length === 0 ? null : Math.min(...times);
}

/** Hands a run to the claimant if it is ready, or can be made ready now. */
function take(context: Context, found: RunRow, claimant: Claimant): TakenRun | Damage | undefined {
  const row = found.state === 'parked' ? wakeRun(context, found, claimant.now) : found;
  if (row.state !== 'ready') return undefined;
  const { connection, epochs } = context;
  register(context, claimant);
  const claimed = connection
    .sql<{ epoch: number }>(
      "UPDATE runs SET state = 'running', owner = ?, worker = ?, epoch = epoch + 1, wake_at = NULL, damaged_seq = NULL, damage = NULL WHERE id = ? AND state = 'ready' RETURNING epoch",
    )
    .get(claimant.owner.id, claimant.worker, row.id);
  if (claimed === undefined) return undefined;
  epochs.forget(row.id);
  return { row, epoch: claimed.epoch };
}

/** A parked run can be claimed once its time has come or a message waits for it. */
function wakeRun(context: Context, run: RunRow, now: number): RunRow {
  if (!wakeIfDue(context, run, waitingMessages(context, run.id, 0), now)) return run;
  return readRun(context, run.id) ?? run;
}

/** Writes a sign of life. */
function register({ connection }: Context, { owner, now, beat, leaseMs }: Claimant): void {
  connection
    .sql(
      `INSERT INTO workers (id, host, space, pid, process_started, seen_at, beat, lease_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, beat = excluded.beat`,
    )
    .run(owner.id, owner.host, owner.space, owner.pid, owner.startedAt, now, beat, leaseMs);
}

/** Prolongs the lease and returns the claims that were lost meanwhile. */
export function heartbeat(context: Context, { claimant, claims }: InputOf<'heartbeat'>): OutputOf<'heartbeat'> {
  register(context, claimant);
  const lost = claims.filter((held) => !context.epochs.isCurrent(held));
  for (const { run } of lost) context.writer.drop(run);
  return lost;
}

interface WorkerRow {
  readonly host: string;
  readonly space: string;
  readonly pid: number;
  readonly process_started: string;
  readonly seen_at: number;
  readonly beat: number;
  readonly lease_ms: number;
}

const workerColumns: Columns<WorkerRow> = {
  host: text('host'),
  space: text('space'),
  pid: integer('pid'),
  process_started: text('process_started'),
  seen_at: integer('seen_at'),
  beat: integer('beat'),
  lease_ms: integer('lease_ms'),
};

/** A sign of life that cannot be read is none. */
function findWorker(connection: Context['connection'], owner: string): WorkerRow | undefined {
  const [found] = connection.select(workerColumns, 'FROM workers WHERE id = ?').found(owner);
  return found !== undefined && 'row' in found ? found.row : undefined;
}

/** When an owner was last seen, if by the stored time that is longer ago than its lease. For a reader; nobody loses a run by it. */
export function silenceSince({ connection }: Context, owner: string, now: number): number | undefined {
  const row = findWorker(connection, owner);
  return row !== undefined && now - row.seen_at > row.lease_ms ? row.seen_at : undefined;
}

/** How an owner was lost: it does not live any more, or was seen to show no sign of life for its whole lease. Undefined while it has its runs. */
export function lossOf({ connection, sightings }: Context, owner: string, monotonic: number): LostOwner | undefined {
  const row = findWorker(connection, owner);
  if (row === undefined) return { how: 'died', process: owner };
  const { host, space, pid, process_started: startedAt } = row;
  const known = { process: `${pid} on ${host}`, lastSeenAt: row.seen_at };
  if (lifeOf({ host, space, pid, startedAt }) === 'dead') return { how: 'died', ...known };
  const isSilent = sightings.silenceOf(owner, row.beat, monotonic) >= row.lease_ms;
  return isSilent ? { how: 'silent', ...known } : undefined;
}

// Counts the deaths since the last entry; an entry in between starts the count anew.
const lastSeq = '(SELECT max(seq) FROM journal WHERE run = runs.id)';
const countDeath = `recoveries = CASE WHEN recovery_seq = ${lastSeq} THEN recoveries + 1 ELSE 1 END, recovery_seq = ${lastSeq}`;
/** The losses since the last entry; so few that they are kept with the run. */
const noteLoss = `lost_owners = CASE WHEN recovery_seq = ${lastSeq} AND json_valid(lost_owners) THEN json_insert(lost_owners, '$[#]', json(?)) ELSE json_array(json(?)) END`;
const setReady = "state = 'ready', owner = NULL, epoch = epoch + 1";

/** Makes the runs of an owner that is gone ready for others. */
function releaseRunsOf({ connection, epochs }: Context, owner: string, lost: LostOwner): number {
  const loss = JSON.stringify(lost);
  const freed = connection
    .sql(`UPDATE runs SET ${setReady}, ${noteLoss}, ${countDeath} WHERE owner = ? AND state = 'running'`)
    .run(loss, loss, owner);
  connection.sql('DELETE FROM workers WHERE id = ?').run(owner);
  epochs.clear();
  return freed;
}

const ownerColumn = { owner: text('owner') };

/** The owners of runs; null for those whose name cannot be read. */
function otherOwners({ connection }: Context, ownerId: string): readonly (string | null)[] {
  return connection
    .select(ownerColumn, 'FROM (SELECT DISTINCT owner FROM runs WHERE owner IS NOT NULL AND owner <> ?)')
    .found(ownerId)
    .map((found) => ('row' in found ? found.row.owner : null));
}

/** True when a sweep would find something. */
export function deadOwners(context: Context, { ownerId, monotonic }: InputOf<'deadOwners'>): boolean {
  const owners = otherOwners(context, ownerId);
  context.sightings.keepOnly(owners);
  // Everyone is looked at, so that the silence of each is measured.
  return owners.filter((owner) => owner === null || lossOf(context, owner, monotonic) !== undefined).length > 0;
}

/** Frees the runs of all owners that are gone. */
export function sweep(context: Context, { ownerId, monotonic }: InputOf<'sweep'>): number {
  let freed = 0;
  for (const owner of otherOwners(context, ownerId)) {
    const lost = owner === null ? undefined : lossOf(context, owner, monotonic);
    if (owner === null) freed += releaseRunsOfNobody(context);
    else if (lost !== undefined) freed += releaseRunsOf(context, owner, lost);
  }
  return freed;
}

/** Makes runs ready whose owner has no row: nobody could say of it that it is alive. */
function releaseRunsOfNobody({ connection, epochs }: Context): number {
  epochs.clear();
  return connection
    .sql(
      `UPDATE runs SET ${setReady}, ${countDeath} WHERE owner IS NOT NULL AND state = 'running' AND owner NOT IN (SELECT id FROM workers)`,
    )
    .run();
}

/** Releases runs, so that others can continue them at once. */
export function release({ connection, writer, epochs }: Context, { claims, crashed }: InputOf<'release'>): undefined {
  for (const { run, epoch } of claims) {
    connection
      .sql(
        `UPDATE runs SET ${setReady} ${crashed ? `, ${countDeath}` : ''} WHERE id = ? AND epoch = ? AND state = 'running'`,
      )
      .run(run, epoch);
    writer.drop(run);
    epochs.forget(run);
  }
}

/** Removes a process that ends in good order from the list of workers. */
export function retire({ connection, epochs }: Context, { ownerId }: InputOf<'retire'>): undefined {
  connection.sql(`UPDATE runs SET ${setReady} WHERE owner = ? AND state = 'running'`).run(ownerId);
  connection.sql('DELETE FROM workers WHERE id = ?').run(ownerId);
  epochs.clear();
}
