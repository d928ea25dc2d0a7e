import { hashOfRow } from '../../store/chain.js';
import type { ChainedRows, Claim, EntryRow, InputOf, OutputOf } from '../../store/operations.js';
import { type Context, isCurrent, readRun } from './context.js';
import { appendEntry } from './effects.js';
import { waitingMessages, wakeIfDue } from './waking.js';

export async function append(
  context: Context,
  { claim, rows, chained }: InputOf<'append'>,
): Promise<OutputOf<'append'>> {
  return (await appendAll(context, claim, rows, chained)) ? 'written' : 'fenced';
}

async function appendAll(
  context: Context,
  claim: Claim,
  rows: readonly EntryRow[],
  chained?: ChainedRows,
): Promise<boolean> {
  if (!(await isCurrent(context, claim))) {
    context.writer.drop(claim);
    return false;
  }
  const { hash } = await context.writer.head(claim.run);
  const hashes = chained?.after === hash ? chained.hashes : undefined;
  for (let index = 0; index < rows.length; index += 1)
    await appendEntry(context, claim, rows[index] as EntryRow, hashes?.[index]);
  return true;
}

/** The last entries of a segment, its ending and its notices. */
export async function conclude(
  context: Context,
  { claim, rows, outbox, lastMessage, now }: InputOf<'conclude'>,
): Promise<OutputOf<'conclude'>> {
  if (!(await appendAll(context, claim, rows))) return 'fenced';
  const { sql, writer, codec } = context;
  const headHash = (await writer.head(claim.run)).hash;
  for (const { id, segment, target, payload, attempts, dueAt } of outbox) {
    const stored = codec.encode(payload);
    sql.later(
      'INSERT INTO @outbox (id, run, segment, target, payload, attempts, due_at, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING',
      [id, claim.run, segment, target, stored, attempts, dueAt, hashOfRow([id, segment, target], stored)],
    );
  }
  const ending = rows.at(-1)?.effect?.segment;
  const isParked = ending?.to === 'ended' && ending.ending.state === 'parked';
  await releaseClaim(context, claim, { isParked, lastMessage, now });
  return { headHash };
}

/** Releases a run without an ending. */
export async function park(
  context: Context,
  { claim, rows, wakeAt, lastMessage }: InputOf<'park'>,
): Promise<OutputOf<'park'>> {
  if (!(await appendAll(context, claim, rows))) return 'fenced';
  await context.writer.write();
  context.sql.later("UPDATE @runs SET state = 'parked', wake_at = $2, owner = NULL, epoch = epoch + 1 WHERE id = $1", [
    claim.run,
    wakeAt,
  ]);
  context.locked.forget(claim.run);
  await releaseClaim(context, claim, { isParked: true, lastMessage, now: 0 });
  return 'parked';
}

interface Release {
  readonly isParked: boolean;
  readonly lastMessage: number;
  readonly now: number;
}

/** A message that arrived while the run was being parked must not be missed; one that was there all the time wakes nothing. */
async function releaseClaim(
  context: Context,
  { run, epoch }: Claim,
  { isParked, lastMessage, now }: Release,
): Promise<void> {
  if (isParked) {
    const row = await readRun(context, run);
    // Its time is for whoever claims it.
    if (row !== undefined)
      await wakeIfDue(context, { ...row, wake_at: null }, await waitingMessages(context, run, lastMessage), now);
  }
  await context.writer.write();
  context.writer.drop({ run, epoch });
}
