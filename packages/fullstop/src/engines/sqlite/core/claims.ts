import { lifeOf } from '../liveness.js';
import type { Claimant, ClaimedRun, Damage, InputOf, OutputOf } from '../operations.js';
import { type Context, findRun, type RunRow, readRun, runColumns } from './context.js';
import { lastMessageId, readUnconsumed } from './messages.js';
import { waitingMessages, wakeIfDue } from './waking.js';

export function claim(context: Context, { runId, claimant }: InputOf<'claim'>): OutputOf<'claim'> {
  let run = findRun(context, runId);
  if (run?.state === 'running' && run.owner !== claimant.owner.id && isGone(context, run.owner, claimant.now)) {
    releaseRunsOf(context, run.owner);
    run = readRun(context, run.id);
  }
  return run && take(context, run, claimant);
}

export function claimNext(
  context: Context,
  { definitions, limit, claimant }: InputOf<'claimNext'>,
): OutputOf<'claimNext'> {
  const claimed: ClaimedRun[] = [];
  const damaged: Damage[] = [];
  for (const [name, version] of definitions) {
    for (const run of findCandidates(context, { name, version, now: claimant.now, limit: limit - claimed.length })) {
      const taken = take(context, run, claimant);
      if (taken === undefined) continue;
      if ('reason' in taken) damaged.push(taken);
      else claimed.push(taken);
    }
  }
  return { claimed, damaged, nextWakeAt: nextWakeAt(context, definitions) };
}

interface Wanted {
  readonly name: string;
  readonly version: string;
  readonly now: number;
  readonly limit: number;
}

function findCandidates({ connection }: Context, { name, version, now, limit }: Wanted): readonly RunRow[] {
  if (limit <= 0) return [];
  const ready = connection
    .sql<RunRow>(
      `SELECT ${runColumns} FROM runs WHERE state = 'ready' AND name = ? AND version = ? AND damaged_seq IS NULL ORDER BY id LIMIT ?`,
    )
    .all(name, version, limit);
  if (ready.length === limit) return ready;
  const due = connection
    .sql<RunRow>(
      `SELECT ${runColumns} FROM runs WHERE wake_at <= ? AND state = 'parked' AND name = ? AND version = ? ORDER BY wake_at LIMIT ?`,
    )
    .all(now, name, version, limit - ready.length);
  return [...ready, ...due];
}

function nextWakeAt({ connection }: Context, definitions: InputOf<'claimNext'>['definitions']): number | null {
  const times = definitions.flatMap(([name, version]) => {
    const row = connection
      .sql<{ wake_at: number }>(
        "SELECT wake_at FROM runs WHERE wake_at IS NOT NULL AND state = 'parked' AND name = ? AND version = ? ORDER BY wake_at LIMIT 1",
      )
      .get(name, version);
    return row === undefined ? [] : [row.wake_at];
  });
  return times.length === 0 ? null : Math.min(...times);
}

/** Hands a run to the claimant if it is ready, or can be made ready now. */
function take(context: Context, found: RunRow, claimant: Claimant): ClaimedRun | Damage | undefined {
  const run = found.state === 'parked' ? wakeRun(context, found, claimant.now) : found;
  if (run.state !== 'ready') return undefined;
  const { connection, reader, writer } = context;
  // What was staged for this run, such as the opening of its segment, must be there to be read.
  writer.write();
  const entries = reader.verified(run.id, run.run_id);
  if ('reason' in entries) {
    connection.sql('UPDATE runs SET damaged_seq = ? WHERE id = ?').run(entries.seq, run.id);
    return { runId: run.run_id, ...entries };
  }
  register(context, claimant);
  const claimed = connection
    .sql<{ epoch: number }>(
      "UPDATE runs SET state = 'running', owner = ?, worker = ?, epoch = epoch + 1, wake_at = NULL, damaged_seq = NULL WHERE id = ? AND state = 'ready' RETURNING epoch",
    )
    .get(claimant.owner.id, claimant.worker, run.id);
  if (claimed === undefined) return undefined;
  context.epochs.forget(run.id);
  const head = writer.head(run.id);
  writer.hold(run.id, head);
  return {
    run: run.id,
    runId: run.run_id,
    name: run.name,
    version: run.version,
    parentRun: run.parent_run,
    parentScope: run.parent_scope,
    segment: run.segment,
    epoch: claimed.epoch,
    recoveries: run.recovery_seq === head.seq ? run.recoveries : 0,
    entries,
    messages: readUnconsumed(context, run.id),
    lastMessage: lastMessageId(context),
  };
}

/** A parked run can be claimed once its time has come or a message waits for it. */
function wakeRun(context: Context, run: RunRow, now: number): RunRow {
  if (!wakeIfDue(context, run, waitingMessages(context, run.id, 0), now)) return run;
  return readRun(context, run.id) ?? run;
}

function register({ connection }: Context, { owner, leaseUntil }: Claimant): void {
  connection
    .sql(
      `INSERT INTO workers (id, host, space, pid, process_started, lease_until) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET lease_until = max(lease_until, excluded.lease_until)`,
    )
    .run(owner.id, owner.host, owner.space, owner.pid, owner.startedAt, leaseUntil);
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
  readonly lease_until: number;
}

/** True when the process that has a run does not live any more, or gave no sign of life for too long. */
export function isGone({ connection }: Context, owner: string | null, now: number): owner is string {
  if (owner === null) return false;
  const row = connection
    .sql<WorkerRow>('SELECT host, space, pid, process_started, lease_until FROM workers WHERE id = ?')
    .get(owner);
  if (row === undefined || row.lease_until <= now) return true;
  return lifeOf({ host: row.host, space: row.space, pid: row.pid, startedAt: row.process_started }) === 'dead';
}

// Counts the deaths since the last entry; an entry in between starts the count anew.
const lastSeq = '(SELECT max(seq) FROM journal WHERE run = runs.id)';
const countDeath = `recoveries = CASE WHEN recovery_seq = ${lastSeq} THEN recoveries + 1 ELSE 1 END, recovery_seq = ${lastSeq}`;
const setReady = "state = 'ready', owner = NULL, epoch = epoch + 1";

/** Makes the runs of an owner that is gone ready for others. */
function releaseRunsOf({ connection, epochs }: Context, owner: string): number {
  const freed = connection
    .sql(`UPDATE runs SET ${setReady}, ${countDeath} WHERE owner = ? AND state = 'running'`)
    .run(owner);
  connection.sql('DELETE FROM workers WHERE id = ?').run(owner);
  epochs.clear();
  return freed;
}

function otherOwners({ connection }: Context, ownerId: string): readonly string[] {
  return connection
    .sql<{ owner: string }>('SELECT DISTINCT owner FROM runs WHERE owner IS NOT NULL AND owner <> ?')
    .all(ownerId)
    .map(({ owner }) => owner);
}

/** True when a sweep would find something. */
export function deadOwners(context: Context, { ownerId, now }: InputOf<'deadOwners'>): boolean {
  return otherOwners(context, ownerId).some((owner) => isGone(context, owner, now));
}

/** Frees the runs of all owners that are gone. */
export function sweep(context: Context, { ownerId, now }: InputOf<'sweep'>): number {
  let freed = 0;
  for (const owner of otherOwners(context, ownerId))
    if (isGone(context, owner, now)) freed += releaseRunsOf(context, owner);
  return freed;
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
