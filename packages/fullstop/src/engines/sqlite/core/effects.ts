import type { Consumption } from '../../rules/consumption.js';
import type { EndingFacts } from '../../rules/ending-facts.js';
import type { EntryEffect } from '../../rules/entry-effect.js';
import type { EntryRow } from '../../store/operations.js';
import type { Context } from './context.js';
import type { Head, Place } from './journal/journal-writer.js';
import { storeRequest } from './requests.js';

/** Appends an entry and changes what follows from it. */
export function appendEntry(context: Context, place: Place, row: EntryRow, hash?: string | null): Head {
  const head = context.writer.stage(place, row, hash);
  if (row.effect !== undefined) apply(context, place, row.effect, head.seq);
  return head;
}

function apply(context: Context, place: Place, { request, segment, consumes }: EntryEffect, seq: number): void {
  if (request !== undefined) storeRequest(context, place.run, request, seq);
  if (segment?.to === 'opened') markOpened(context, place, segment.by);
  else if (segment?.to === 'ended') markEnded(context, place, segment.ending, seq);
  if (consumes !== undefined) consume(context, place.run, consumes);
}

function consume({ connection }: Context, run: number, consumption: Consumption): void {
  if (consumption.type === 'cancel')
    connection.sql("UPDATE inbox SET consumed = 1 WHERE run = ? AND consumed = 0 AND type = 'cancel'").run(run);
  else
    connection
      .sql("UPDATE inbox SET consumed = 1 WHERE run = ? AND request = ? AND type = 'answer'")
      .run(run, consumption.requestId);
}

/** The run continues in a new segment, and the ending before it is no longer its last. */
function markOpened({ connection }: Context, { run, segment }: Place, by: string | undefined): void {
  connection
    .sql(
      `UPDATE runs SET state = 'ready', segment = ?, opened_by = ?, wake_at = NULL, ending_seq = NULL, ended_at = NULL, closed = NULL,
       kind = NULL, category = NULL, outcome = NULL, summary = NULL,
       input_tokens = NULL, output_tokens = NULL, total_tokens = NULL, cost_usd = NULL, duration_ms = NULL, estimated = NULL WHERE id = ?`,
    )
    .run(segment, by ?? null, run);
}

function markEnded(context: Context, { run, segment }: Place, ending: EndingFacts, seq: number): void {
  const { connection, codec, writer } = context;
  // The table of endings guards the journal, so the entry itself has to be there first.
  writer.write();
  const closed = ending.open ? 0 : 1;
  connection.sql('INSERT INTO endings (run, segment, seq, closed) VALUES (?, ?, ?, ?)').run(run, segment, seq, closed);
  connection
    .sql(
      `UPDATE runs SET state = ?, wake_at = ?, owner = NULL, epoch = epoch + 1, ending_seq = ?, ended_at = ?, closed = ?,
       kind = ?, category = ?, outcome = ?, summary = ?,
       input_tokens = ?, output_tokens = ?, total_tokens = ?, cost_usd = ?, duration_ms = ?, estimated = ? WHERE id = ?`,
    )
    .run(
      ending.state,
      ending.wakeAt ?? null,
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
      ending.estimated === true ? 1 : null,
      run,
    );
}
