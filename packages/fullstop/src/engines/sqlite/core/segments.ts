import { hashOfRow } from '../../store/chain.js';
import type { ChainedRows, Claim, EntryRow, InputOf, OutputOf } from '../../store/operations.js';
import { type Context, readRun } from './context.js';
import { appendEntry } from './effects.js';
import { waitingMessages, wakeIfDue } from './waking.js';

export function append(context: Context, { claim, rows, chained }: InputOf<'append'>): OutputOf<'append'> {
  return appendAll(context, claim, rows, chained) ? 'written' : 'fenced';
}

function appendAll(context: Context, claim: Claim, rows: readonly EntryRow[], chained?: ChainedRows): boolean {
  if (!context.epochs.isCurrent(claim)) {
    context.writer.drop(claim.run);
    return false;
  }
  const hashes = chained?.after === context.writer.head(claim.run).hash ? chained.hashes : undefined;
  for (let index = 0; index < rows.length; index += 1)
    appendEntry(context, claim, rows[index] as EntryRow, hashes?.[index]);
  return true;
}

/** The last entries of a segment, its ending and its notices. */
export function conclude(
  context: Context,
  { claim, rows, outbox, lastMessage, now }: InputOf<'conclude'>,
): OutputOf<'conclude'> {
  if (!appendAll(context, claim, rows)) return 'fenced';
  const { connection, writer, codec } = context;
  const headHash = writer.head(claim.run).hash;
  for (const { id, segment, target, payload, attempts, dueAt } of outbox) {
    const stored = codec.encode(payload);
    connection
      .sql(
        'INSERT INTO outbox (id, run, segment, target, payload, attempts, due_at, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      )
      .run(id, claim.run, segment, target, stored, attempts, dueAt, hashOfRow([id, segment, target], stored));
  }
  releaseClaim(context, claim, lastMessage, now);
  return { headHash };
}

/** Releases a run without an ending. */
export function park(context: Context, { claim, rows, wakeAt, lastMessage }: InputOf<'park'>): OutputOf<'park'> {
  if (!appendAll(context, claim, rows)) return 'fenced';
  context.connection
    .sql("UPDATE runs SET state = 'parked', wake_at = ?, owner = NULL, epoch = epoch + 1 WHERE id = ?")
    .run(wakeAt, claim.run);
  releaseClaim(context, claim, lastMessage, 0);
  return 'parked';
}

/** A message that arrived while the run was being parked must not be missed; one that was there all the time wakes nothing. */
function releaseClaim(context: Context, { run }: Claim, lastMessage: number, now: number): void {
  context.epochs.forget(run);
  const row = readRun(context, run);
  // Its time is for whoever claims it.
  if (row?.state === 'parked')
    wakeIfDue(context, { ...row, wake_at: null }, waitingMessages(context, run, lastMessage), now);
  context.writer.drop(run);
}
