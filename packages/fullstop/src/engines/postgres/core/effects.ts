import type { Consumption } from '../../rules/consumption.js';
import type { EndingFacts } from '../../rules/ending-facts.js';
import type { EntryEffect } from '../../rules/entry-effect.js';
import type { EntryRow } from '../../store/operations.js';
import type { Context } from './context.js';
import type { Head } from './journal/heads.js';
import type { Place } from './journal/journal-writer.js';
import { storeRequest } from './requests.js';

/** Appends an entry and changes what follows from it. */
export async function appendEntry(context: Context, place: Place, row: EntryRow, hash?: string | null): Promise<Head> {
  const head = await context.writer.stage(place, row, hash);
  if (row.effect !== undefined) await apply(context, place, row.effect, head.seq);
  return head;
}

async function apply(
  context: Context,
  place: Place,
  { request, segment, consumes }: EntryEffect,
  seq: number,
): Promise<void> {
  if (request !== undefined) await storeRequest(context, place.run, request, seq);
  if (segment?.to === 'opened') await markOpened(context, place, segment.by);
  else if (segment?.to === 'ended') await markEnded(context, place, segment.ending, seq);
  if (consumes !== undefined) await consume(context, place.run, consumes);
}

async function consume({ sql, writer }: Context, run: number, consumption: Consumption): Promise<void> {
  await writer.write();
  if (consumption.type === 'cancel')
    sql.later("UPDATE @inbox SET consumed = TRUE WHERE run = $1 AND NOT consumed AND type = 'cancel'", [run]);
  else
    sql.later("UPDATE @inbox SET consumed = TRUE WHERE run = $1 AND request = $2 AND type = 'answer'", [
      run,
      consumption.requestId,
    ]);
}

/** The run continues in a new segment, and the ending before it is no longer its last. */
async function markOpened(
  { sql, writer, locked }: Context,
  { run, segment }: Place,
  by: string | undefined,
): Promise<void> {
  await writer.write();
  sql.later(
    `UPDATE @runs SET state = 'ready', segment = $2, opened_by = $3, wake_at = NULL, ending_seq = NULL, ended_at = NULL, closed = NULL,
     kind = NULL, category = NULL, outcome = NULL, summary = NULL,
     input_tokens = NULL, output_tokens = NULL, total_tokens = NULL, cost_usd = NULL, duration_ms = NULL, estimated = NULL WHERE id = $1`,
    [run, segment, by ?? null],
  );
  locked.forget(run);
}

async function markEnded(context: Context, { run, segment }: Place, ending: EndingFacts, seq: number): Promise<void> {
  const { sql, codec, writer, locked } = context;
  await writer.write();
  const closed = ending.open ? 0 : 1;
  sql.later(
    `WITH noted AS (INSERT INTO @endings (run, segment, seq, closed) VALUES ($1, $2, $3, $4))
     UPDATE @runs SET state = $5, wake_at = $6, owner = NULL, epoch = epoch + 1, ending_seq = $3, ended_at = $7, closed = $4,
     kind = $8, category = $9, outcome = $10, summary = $11,
     input_tokens = $12, output_tokens = $13, total_tokens = $14, cost_usd = $15, duration_ms = $16, estimated = $17 WHERE id = $1`,
    [
      run,
      segment,
      seq,
      closed,
      ending.state,
      ending.wakeAt ?? null,
      ending.endedAt,
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
    ],
  );
  locked.forget(run);
}
