import type { Claimant, Damage, InputOf, OutputOf } from '../../store/operations.js';
import { type Context, findRun, type RunRow, readRun, runColumns } from './context.js';
import { isDamage } from './damaged-rows.js';
import { countDeath, otherOwners, ownerStates, register, releaseRunsOf, setReady } from './owners.js';
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

/** The lock of this process, or null where it has no session. */
export type OwnLock = number | null;

export async function claim(
  context: Context,
  { runId, claimant }: InputOf<'claim'>,
  lock: OwnLock,
): Promise<TakenRun | undefined> {
  let run = await findRun(context, runId);
  if (run?.state === 'running' && run.owner !== null && run.owner !== claimant.owner.id) {
    const lost = (await ownerStates(context, [run.owner])).get(run.owner)?.lost;
    if (lost !== undefined) {
      await releaseRunsOf(context, run.owner);
      run = await readRun(context, run.id);
    }
  }
  if (run === undefined) return undefined;
  const woken = run.state === 'parked' ? await wakeRun(context, run, claimant.now) : run;
  if (woken.state !== 'ready') return undefined;
  const [taken] = await takeAll(context, [woken], claimant, lock);
  return taken;
}

export async function claimNext(
  context: Context,
  { definitions, limit, claimant }: InputOf<'claimNext'>,
  lock: OwnLock,
): Promise<TakenRuns> {
  const ready: RunRow[] = [];
  const damaged: Damage[] = [];
  await context.writer.write();
  const next = nextWakeAt(context, definitions);
  // Where the connection breaks, what is awaited first says so; nobody would hear it of this one.
  next.catch(() => undefined);
  for (const [name, version] of definitions) {
    const wanted = { name, version, now: claimant.now, limit: limit - ready.length };
    const [found, due] = await Promise.all([findReady(context, wanted), findDue(context, wanted)]);
    ready.push(...found);
    for (const run of due.slice(0, limit - ready.length)) {
      const woken = await wakeOrSetAside(context, run, claimant.now, damaged);
      if (woken?.state === 'ready') ready.push(woken);
    }
  }
  const taken = await takeAll(context, ready, claimant, lock);
  // One that was due and taken is no reason to look again, which is all that an instant in the past could cause.
  const wakeAt = await next;
  return { taken, damaged, nextWakeAt: wakeAt };
}

/** One run that cannot be read keeps nobody from the others. */
async function wakeOrSetAside(
  context: Context,
  run: RunRow,
  now: number,
  damaged: Damage[],
): Promise<RunRow | undefined> {
  try {
    return await wakeRun(context, run, now);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const damage = { seq: 0, reason: error.message };
    await setAside(context, { id: run.id }, damage);
    damaged.push({ runId: run.run_id, ...damage });
    return undefined;
  }
}

interface Wanted {
  readonly name: string;
  readonly version: string;
  readonly now: number;
  readonly limit: number;
}

/** Of several that look at once each gets others. */
async function findReady({ sql }: Context, { name, version, limit }: Wanted): Promise<readonly RunRow[]> {
  if (limit <= 0) return [];
  return sql.rows<RunRow>(
    `SELECT ${runColumns} FROM @runs WHERE state = 'ready' AND name = $1 AND version = $2 AND damaged_seq IS NULL ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED`,
    [name, version, limit],
  );
}

async function findDue({ sql }: Context, { name, version, now, limit }: Wanted): Promise<readonly RunRow[]> {
  if (limit <= 0) return [];
  return sql.rows<RunRow>(
    `SELECT ${runColumns} FROM @runs WHERE wake_at <= $4 AND state = 'parked' AND name = $1 AND version = $2 AND damaged_seq IS NULL
     ORDER BY wake_at LIMIT $3 FOR UPDATE SKIP LOCKED`,
    [name, version, limit, now],
  );
}

async function nextWakeAt({ sql }: Context, definitions: InputOf<'claimNext'>['definitions']): Promise<number | null> {
  const row = await sql.row<{ wake_at: number | null }>(
    `SELECT min(wake_at) AS wake_at FROM @runs JOIN unnest($1::text[], $2::text[]) AS d(name, version) USING (name, version)
     WHERE wake_at IS NOT NULL AND state = 'parked' AND damaged_seq IS NULL`,
    [definitions.map(([name]) => name), definitions.map(([, version]) => version)],
  );
  return row?.wake_at ?? null;
}

/** Hands runs that are ready to the claimant. */
async function takeAll(
  context: Context,
  rows: readonly RunRow[],
  claimant: Claimant,
  lock: OwnLock,
): Promise<readonly TakenRun[]> {
  if (rows.length === 0) return [];
  await context.writer.write();
  await register(context, claimant, lock);
  const claimed = await context.sql.rows<{ id: number; epoch: number }>(
    `UPDATE @runs SET state = 'running', owner = $2, worker = $3, epoch = epoch + 1, wake_at = NULL, damaged_seq = NULL, damage = NULL
     WHERE id = ANY($1::bigint[]) AND state = 'ready' RETURNING id, epoch`,
    [rows.map(({ id }) => id), claimant.owner.id, claimant.worker],
  );
  const epochs = new Map(claimed.map(({ id, epoch }) => [id, epoch]));
  return rows.flatMap((row) => {
    context.locked.forget(row.id);
    const epoch = epochs.get(row.id);
    return epoch === undefined ? [] : [{ row, epoch }];
  });
}

/** A parked run can be claimed once its time has come or a message waits for it. */
async function wakeRun(context: Context, run: RunRow, now: number): Promise<RunRow> {
  if (!(await wakeIfDue(context, run, await waitingMessages(context, run.id, 0), now))) return run;
  context.locked.forget(run.id);
  return (await readRun(context, run.id)) ?? run;
}

/** Prolongs the lease and returns the claims that were lost meanwhile. */
export async function heartbeat(
  context: Context,
  { claimant, claims }: InputOf<'heartbeat'>,
  lock: OwnLock,
): Promise<OutputOf<'heartbeat'>> {
  await register(context, claimant, lock);
  const rows = await context.sql.rows<{ id: number; epoch: number }>(
    'SELECT id, epoch FROM @runs WHERE id = ANY($1::bigint[])',
    [claims.map(({ run }) => run)],
  );
  const epochs = new Map(rows.map(({ id, epoch }) => [id, epoch]));
  const lost = claims.filter(({ run, epoch }) => epochs.get(run) !== epoch);
  for (const claim of lost) context.writer.drop(claim);
  return lost;
}

/** True when a sweep would find something. */
export async function deadOwners(context: Pick<Context, 'sql'>, { ownerId }: InputOf<'deadOwners'>): Promise<boolean> {
  const states = await ownerStates(context, await otherOwners(context, ownerId));
  return [...states.values()].some(({ lost }) => lost !== undefined);
}

/** Frees the runs of all owners that are gone. */
export async function sweep(context: Context, { ownerId }: InputOf<'sweep'>): Promise<OutputOf<'sweep'>> {
  let freed = 0;
  for (const [owner, { lost }] of await ownerStates(context, await otherOwners(context, ownerId)))
    if (lost !== undefined) freed += await releaseRunsOf(context, owner);
  return freed;
}

/** Releases runs, so that others can continue them at once. */
export async function release(context: Context, { claims, crashed }: InputOf<'release'>): Promise<undefined> {
  await context.writer.write();
  for (const { run, epoch } of claims) {
    context.sql.later(
      `UPDATE @runs AS runs SET ${setReady} ${crashed ? `, ${countDeath}` : ''} WHERE id = $1 AND epoch = $2 AND state = 'running'`,
      [run, epoch],
    );
    context.writer.drop({ run, epoch });
    context.locked.forget(run);
  }
}

/** Removes a process that ends in good order from the list of workers. */
export async function retire(context: Context, { ownerId }: InputOf<'retire'>): Promise<undefined> {
  await context.writer.write();
  context.sql.later(`UPDATE @runs SET ${setReady} WHERE owner = $1 AND state = 'running'`, [ownerId]);
  context.sql.later('DELETE FROM @workers WHERE id = $1', [ownerId]);
  context.locked.clear();
}
