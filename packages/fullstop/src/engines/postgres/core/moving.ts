import { hashOfRow } from '../../store/chain.js';
import type { InputOf, OutputOf, RunBelongings, RunLetter } from '../../store/operations.js';
import { movedState } from '../connection/store-error.js';
import { sweep } from './claims.js';
import { type Context, lookUpRun } from './context.js';
import { noticesOf } from './notices.js';

/** Made with the first move, by whoever owns the tables. */
const sealing = `
CREATE TABLE IF NOT EXISTS @moved (target TEXT NOT NULL, at BIGINT NOT NULL);
CREATE OR REPLACE FUNCTION @refuse_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE place TEXT;
BEGIN
  SELECT target INTO place FROM @moved LIMIT 1;
  IF FOUND THEN RAISE EXCEPTION USING ERRCODE = '${movedState}', MESSAGE = place; END IF;
  RETURN NEW;
END $$;
${['runs', 'inbox', 'outbox']
  .map(
    (table) =>
      `CREATE OR REPLACE TRIGGER moved BEFORE INSERT OR UPDATE ON @${table} FOR EACH ROW EXECUTE FUNCTION @refuse_moved();`,
  )
  .join('\n')}
`;

/** Where the runs of this store are by now, if they were moved. */
export async function movedTo({ sql, writer }: Context): Promise<OutputOf<'movedTo'>> {
  const made = await sql.row<{ made: string | null }>('SELECT to_regclass($1)::text AS made', [
    `"${writer.schema}".moved`,
  ]);
  if (made?.made == null) return null;
  const row = await sql.row<{ target: string }>('SELECT target FROM @moved LIMIT 1');
  return row?.target ?? null;
}

/** Whoever is writing is waited for, and whoever writes next finds the seal. */
export async function seal(
  context: Context,
  { to, now, ownerId, monotonic }: InputOf<'seal'>,
): Promise<OutputOf<'seal'>> {
  const { sql } = context;
  await context.writer.write();
  await sql.exec('LOCK TABLE @runs, @inbox, @outbox IN EXCLUSIVE MODE');
  const earlier = await movedTo(context);
  if (earlier !== null) return earlier === to ? { status: 'sealed' } : { status: 'moved', to: earlier };
  await sweep(context, { ownerId, monotonic });
  const busy = await sql.rows<{ run_id: string }>("SELECT run_id FROM @runs WHERE state = 'running' ORDER BY id");
  if (busy.length > 0) return { status: 'busy', runIds: busy.map(({ run_id: runId }) => runId) };
  await sql.exec(sealing);
  await sql.run('INSERT INTO @moved (target, at) VALUES ($1, $2)', [to, now]);
  return { status: 'sealed' };
}

export async function unseal(context: Context): Promise<undefined> {
  if ((await movedTo(context)) !== null) await context.sql.run('DELETE FROM @moved');
}

export async function runIds({ sql }: Context, { before, limit }: InputOf<'runIds'>): Promise<OutputOf<'runIds'>> {
  return sql.rows<{ place: number; runId: string }>(
    'SELECT id AS place, run_id AS "runId" FROM @runs WHERE id < $1 ORDER BY id DESC LIMIT $2',
    [before ?? Number.MAX_SAFE_INTEGER, limit],
  );
}

export async function belongings(context: Context, { runId }: InputOf<'belongings'>): Promise<OutputOf<'belongings'>> {
  const { sql, codec } = context;
  const run = await lookUpRun(context, runId);
  if (run === undefined) return undefined;
  const letters = await sql.rows<RunLetter>(
    'SELECT type, request, sender, at, data, consumed FROM @inbox WHERE run = $1 ORDER BY id',
    [run.id],
  );
  return {
    state: run.state,
    wakeAt: run.wake_at,
    letters: letters.map((letter) => ({ ...letter, data: codec.decode(letter.data) })),
    notices: await noticesOf(context, run.id),
  };
}

/** Adds to a run that was just imported what its journal does not say. */
export async function storeBelongings(
  { sql, codec, writer, locked }: Context,
  run: number,
  { state, wakeAt, letters, notices }: RunBelongings,
): Promise<void> {
  await writer.write();
  for (const { type, request, sender, at, data, consumed } of letters) {
    const stored = codec.encode(data);
    sql.later(
      'INSERT INTO @inbox (run, type, request, sender, at, data, hash, consumed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
      [run, type, request, sender, at, stored, hashOfRow([type, request, sender, at], stored), consumed],
    );
  }
  for (const { id, segment, target, payload, attempts, dueAt } of notices) {
    const stored = codec.encode(payload);
    sql.later(
      'INSERT INTO @outbox (id, run, segment, target, payload, attempts, due_at, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
      [id, run, segment, target, stored, attempts, dueAt, hashOfRow([id, segment, target], stored)],
    );
  }
  // An ending says itself what the run waits for.
  sql.later('UPDATE @runs SET state = $2, wake_at = $3 WHERE id = $1 AND ending_seq IS NULL', [
    run,
    state === 'parked' ? 'parked' : 'ready',
    wakeAt,
  ]);
  locked.forget(run);
}

export async function erasures({ sql }: Context): Promise<OutputOf<'erasures'>> {
  return sql.rows<OutputOf<'erasures'>[number]>(
    'SELECT run_id AS "runId", erased_at AS at, entries, head, erased_by AS by FROM @tombstones ORDER BY run_id',
  );
}

export async function bury({ sql, writer }: Context, input: InputOf<'bury'>): Promise<undefined> {
  await writer.write();
  for (const { runId, at, entries, head, by } of input.erasures)
    sql.later(
      'INSERT INTO @tombstones (run_id, erased_at, entries, head, erased_by) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
      [runId, at, entries, head, by],
    );
}
