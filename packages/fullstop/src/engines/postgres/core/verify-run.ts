import { type Break, brokenAt, provedBy } from '../../store/chain.js';
import type { InputOf, LastPart, OutputOf, StoredEntry, StoreVerification } from '../../store/operations.js';
import { fitsRequests, misfitOf, type NotedEnding, type RequestCells } from '../../store/run-misfits.js';
import { type Context, lookUpRun, type RunRow } from './context.js';
import { isDamage } from './damaged-rows.js';
import type { Blobs } from './journal/journal-reader.js';
import { readUnconsumed, toMessage } from './messages.js';
import { noticeDamage } from './notices.js';
import { summary } from './summaries.js';

/** Checks everything that is stored of a run: the chain, large values, and the tables that are derived from it. */
export async function verify(context: Context, { runId, head }: InputOf<'verify'>): Promise<OutputOf<'verify'>> {
  const { verification, entries } = await wholeOf(context, runId);
  return verification.status === 'consistent' ? provedBy(entries, head) : verification;
}

/** The same with the entries, for whoever needs both: a journal is long, and so read once. All at once, because what is compared must be of one instant. */
export function verified(context: Context, { runId }: InputOf<'verified'>): Promise<OutputOf<'verified'>> {
  return wholeOf(context, runId);
}

async function wholeOf(context: Context, runId: string): Promise<LastPart> {
  const { reader } = context;
  try {
    const run = await lookUpRun(context, runId);
    if (run === undefined) return { verification: await verifyAbsent(context, runId), entries: [] };
    const rows = (await reader.whole([run.id])).get(run.id) ?? [];
    const blobs = await reader.blobsOf(rows);
    const broken = reader.brokenAt(runId, rows, blobs) ?? (await besides(context, run, { entries: rows, blobs }));
    if (broken !== undefined) return brokenAt(broken);
    const entries = rows.map((row) => reader.open(row, blobs));
    return { verification: { status: 'consistent', entries: entries.length }, entries };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return brokenAt({ seq: 0, reason: error.message });
  }
}

/** The differences between the journal and the tables beside it. */
async function besides(
  context: Context,
  run: RunRow,
  { entries, blobs }: { readonly entries: readonly StoredEntry[]; readonly blobs: Blobs },
): Promise<Break | undefined> {
  const { sql, reader } = context;
  const open = (entry: StoredEntry): string => reader.open(entry, blobs).data;
  const endings = await sql.rows<NotedEnding>('SELECT segment, seq FROM @endings WHERE run = $1 ORDER BY segment', [
    run.id,
  ]);
  const requests = await sql.rows<RequestCells>(
    'SELECT request, state, deadline, answered_at, answered_by FROM @requests WHERE run = $1',
    [run.id],
  );
  const misfit = misfitOf(run, { entries, endings, open });
  if (misfit !== undefined) return misfit;
  if (!fitsRequests(requests, entries, open))
    return { seq: entries.length, reason: 'the table of requests differs from what the journal says' };
  const notices = await noticeDamage(context, run.id);
  if (notices !== undefined) return notices;
  for (const message of await readUnconsumed(context, [run.id])) toMessage(context, message);
  // A mark of an earlier look says nothing about what is there now.
  const shown = await summary(context, { runId: run.run_id, now: 0, monotonic: 0 });
  return run.damaged_seq === null ? (shown?.damage ?? undefined) : undefined;
}

async function verifyAbsent({ sql }: Context, runId: string): Promise<StoreVerification> {
  const tombstone = await sql.row<{
    erased_at: number;
    entries: number;
    head: string | null;
    erased_by: string | null;
  }>('SELECT erased_at, entries, head, erased_by FROM @tombstones WHERE run_id = $1', [runId]);
  if (tombstone === undefined) return { status: 'unknown' };
  const { erased_at: at, entries, head: last, erased_by: by } = tombstone;
  return { status: 'erased', at, entries, ...(last !== null && { head: last }), ...(by !== null && { by }) };
}

/** Checks what Postgres itself does not: that every row belongs to a run. */
export async function check({ sql }: Context): Promise<OutputOf<'check'>> {
  const row = await sql.row<{ count: number }>(
    'SELECT count(*)::int AS count FROM (SELECT DISTINCT run FROM @journal) j WHERE NOT EXISTS (SELECT 1 FROM @runs r WHERE r.id = j.run)',
  );
  const count = row?.count ?? 0;
  return count === 0 ? [] : [`${count} journals belong to no run`];
}
