import type { EndingRow, EntryRow } from '../operations.js';
import type { Context } from './context.js';
import type { Head, Place } from './journal-writer.js';

/** Appends an entry and changes what follows from it. */
export function appendEntry(context: Context, place: Place, row: EntryRow, hash?: string | null): Head {
  const head = context.writer.stage(place, row, hash);
  if (row.effect !== undefined) apply(context, place, row.effect, head.seq);
  return head;
}

function apply(context: Context, place: Place, effect: NonNullable<EntryRow['effect']>, seq: number): void {
  const { connection } = context;
  const { run } = place;
  switch (effect.type) {
    case 'request_opened':
      connection
        .sql(
          `INSERT INTO requests (run, request, seq, state, deadline) VALUES (?, ?, ?, 'open', ?)
           ON CONFLICT (run, request) DO UPDATE SET seq = excluded.seq, state = 'open', deadline = excluded.deadline, answered_at = NULL, answered_by = NULL`,
        )
        .run(run, effect.id, seq, effect.deadline);
      return;
    case 'request_answered':
      // An answer that the deadline gave counts as expired for whoever comes later.
      connection
        .sql('UPDATE requests SET state = ?, answered_at = ?, answered_by = ? WHERE run = ? AND request = ?')
        .run(effect.expired ? 'expired' : 'answered', effect.at, effect.by, run, effect.id);
      consumeAnswer(context, run, effect.id);
      return;
    case 'request_expired':
      connection.sql("UPDATE requests SET state = 'expired' WHERE run = ? AND request = ?").run(run, effect.id);
      consumeAnswer(context, run, effect.id);
      return;
    case 'request_withdrawn':
      // An answer that came before stays: a later segment may ask again.
      connection.sql('DELETE FROM requests WHERE run = ? AND request = ?').run(run, effect.id);
      return;
    case 'cancel_requested':
      consumeCancels(context, run);
      return;
    case 'segment_opened':
      markOpened(context, place, effect.by);
      return;
    case 'segment_ended':
      markEnded(context, place, effect.ending, seq);
      return;
    default:
      effect satisfies never;
  }
}

function consumeAnswer({ connection }: Context, run: number, request: string): void {
  connection.sql("UPDATE inbox SET consumed = 1 WHERE run = ? AND request = ? AND type = 'answer'").run(run, request);
}

function consumeCancels({ connection }: Context, run: number): void {
  connection.sql("UPDATE inbox SET consumed = 1 WHERE run = ? AND consumed = 0 AND type = 'cancel'").run(run);
}

/** The run goes on in a new segment, and the ending before it no longer stands. */
export function markOpened({ connection }: Context, { run, segment }: Place, by: string | null): void {
  connection
    .sql(
      `UPDATE runs SET state = 'ready', segment = ?, opened_by = ?, wake_at = NULL, ending_seq = NULL, ended_at = NULL, closed = NULL,
       kind = NULL, category = NULL, outcome = NULL, summary = NULL,
       input_tokens = NULL, output_tokens = NULL, total_tokens = NULL, cost_usd = NULL, duration_ms = NULL WHERE id = ?`,
    )
    .run(segment, by, run);
}

function markEnded(context: Context, { run, segment }: Place, ending: EndingRow, seq: number): void {
  const { connection, codec, writer } = context;
  // The table of endings guards the journal, so the entry itself has to be there first.
  writer.write();
  const closed = ending.open ? 0 : 1;
  connection.sql('INSERT INTO endings (run, segment, seq, closed) VALUES (?, ?, ?, ?)').run(run, segment, seq, closed);
  const paused = ending.category === 'paused';
  connection
    .sql(
      `UPDATE runs SET state = ?, wake_at = ?, owner = NULL, epoch = epoch + 1, ending_seq = ?, ended_at = ?, closed = ?,
       kind = ?, category = ?, outcome = ?, summary = ?,
       input_tokens = ?, output_tokens = ?, total_tokens = ?, cost_usd = ?, duration_ms = ? WHERE id = ?`,
    )
    .run(
      paused ? 'parked' : 'ended',
      paused ? ending.wakeAt : null,
      seq,
      ending.endedAt,
      closed,
      ending.kind,
      ending.category,
      ending.outcome,
      codec.encode(ending.summary),
      ending.usage.inputTokens,
      ending.usage.outputTokens,
      ending.usage.totalTokens,
      ending.costUsd,
      ending.durationMs,
      run,
    );
  // A wish to cancel belongs to the segment that it was meant for: it must not stop a later one.
  if (!paused) consumeCancels(context, run);
}
