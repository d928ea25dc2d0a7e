import { hashOfRow } from '../../store/chain.js';
import { isMovedAway } from '../../store/moving/moved-away.js';
import type { InputOf, OutputOf, RunBelongings } from '../../store/operations.js';
import { sweep } from './claims.js';
import { type Context, findRun } from './context.js';
import { noticesOf } from './notices.js';
import { integer, optional, text, word } from './rows/columns.js';

/** Made with the first move and never removed: what is marked as part of the schema stays part of it. */
const sealing = `
CREATE TABLE IF NOT EXISTS moved (target TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
${['INSERT ON runs', 'UPDATE ON runs', 'INSERT ON inbox', 'INSERT ON outbox', 'UPDATE ON outbox']
  .map(
    (event) =>
      `CREATE TRIGGER IF NOT EXISTS moved_${event.replace(' ON ', '_').toLowerCase()} BEFORE ${event} WHEN EXISTS (SELECT 1 FROM moved) BEGIN SELECT RAISE(ABORT, '${isMovedAway}'); END;`,
  )
  .join('\n')}
`;

const countColumn = { count: integer('count(*)') };
const targetColumn = { target: text('target') };

/** Where the runs of this file are by now, if they were moved. */
export function movedTo({ connection }: Pick<Context, 'connection'>): OutputOf<'movedTo'> {
  const made = connection.select(countColumn, "FROM sqlite_schema WHERE name = 'moved'").get()?.count;
  if (made !== 1) return null;
  return connection.select(targetColumn, 'FROM moved').get()?.target ?? null;
}

const runIdColumn = { runId: text('run_id') };

/** Everyone who has the file open is refused from now on, whatever version they are: the file itself refuses. */
export function seal(context: Context, { to, now, ownerId, monotonic }: InputOf<'seal'>): OutputOf<'seal'> {
  const earlier = movedTo(context);
  if (earlier !== null) return earlier === to ? { status: 'sealed' } : { status: 'moved', to: earlier };
  sweep(context, { ownerId, monotonic });
  const { connection } = context;
  const busy = connection.select(runIdColumn, "FROM runs WHERE state = 'running' ORDER BY id").all();
  if (busy.length > 0) return { status: 'busy', runIds: busy.map(({ runId }) => runId) };
  connection.exec(sealing);
  connection.sql('INSERT INTO moved (target, at) VALUES (?, ?)').run(to, now);
  return { status: 'sealed' };
}

export function unseal(context: Context): undefined {
  if (movedTo(context) !== null) context.connection.sql('DELETE FROM moved').run();
}

const placeColumns = { place: integer('id'), runId: text('run_id') };

export function runIds({ connection }: Context, { before, limit }: InputOf<'runIds'>): OutputOf<'runIds'> {
  return connection
    .select(placeColumns, 'FROM runs WHERE id < ? ORDER BY id DESC LIMIT ?')
    .all(before ?? Number.MAX_SAFE_INTEGER, limit);
}

const letterColumns = {
  type: word('type', ['answer', 'cancel']),
  request: optional(text('request')),
  sender: optional(text('sender')),
  at: integer('at'),
  data: text('data'),
  consumed: integer('consumed'),
};

export function belongings(context: Context, { runId }: InputOf<'belongings'>): OutputOf<'belongings'> {
  const run = findRun(context, runId);
  if (run === undefined) return undefined;
  const { connection, codec } = context;
  const letters = connection.select(letterColumns, 'FROM inbox WHERE run = ? ORDER BY id').all(run.id);
  return {
    state: run.state,
    wakeAt: run.wake_at,
    letters: letters.map((letter) => ({
      ...letter,
      data: codec.decode(letter.data),
      consumed: letter.consumed !== 0,
    })),
    notices: noticesOf(context, run.id),
  };
}

/** Adds to a run that was just imported what its journal does not say. */
export function storeBelongings(
  context: Context,
  run: number,
  { state, wakeAt, letters, notices }: RunBelongings,
): void {
  const { connection, codec } = context;
  for (const { type, request, sender, at, data, consumed } of letters) {
    const stored = codec.encode(data);
    connection
      .sql('INSERT INTO inbox (run, type, request, sender, at, data, hash, consumed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(run, type, request, sender, at, stored, hashOfRow([type, request, sender, at], stored), consumed ? 1 : 0);
  }
  for (const { id, segment, target, payload, attempts, dueAt } of notices) {
    const stored = codec.encode(payload);
    connection
      .sql(
        'INSERT INTO outbox (id, run, segment, target, payload, attempts, due_at, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(id, run, segment, target, stored, attempts, dueAt, hashOfRow([id, segment, target], stored));
  }
  // An ending says itself what the run waits for.
  connection
    .sql('UPDATE runs SET state = ?, wake_at = ? WHERE id = ? AND ending_seq IS NULL')
    .run(state === 'parked' ? 'parked' : 'ready', wakeAt, run);
}

const erasureColumns = {
  runId: text('run_id'),
  at: integer('erased_at'),
  entries: integer('entries'),
  head: optional(text('head')),
  by: optional(text('erased_by')),
};

export function erasures({ connection }: Context): OutputOf<'erasures'> {
  return connection.select(erasureColumns, 'FROM tombstones ORDER BY run_id').all();
}

export function bury({ connection }: Context, input: InputOf<'bury'>): undefined {
  for (const { runId, at, entries, head, by } of input.erasures)
    connection
      .sql('INSERT OR IGNORE INTO tombstones (run_id, erased_at, entries, head, erased_by) VALUES (?, ?, ?, ?, ?)')
      .run(runId, at, entries, head, by);
}
