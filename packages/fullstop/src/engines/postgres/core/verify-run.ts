import type { Break } from '../../store/chain.js';
import type { InputOf, OutputOf, StoredEntry, StoreVerification } from '../../store/operations.js';
import { fitsRequests, misfitOf, type NotedEnding, type RequestCells } from '../../store/run-misfits.js';
import { type Context, lookUpRun, type RunRow } from './context.js';
import { isDamage } from './damaged-rows.js';
import type { Blobs } from './journal/journal-reader.js';
import { readUnconsumed, toMessage } from './messages.js';
import { noticeDamage } from './notices.js';
import { summary } from './summaries.js';

/** Checks everything that is stored of a run: the chain, large values, and the tables that are derived from it. */
export async function verify(context: Context, { runId, head }: InputOf<'verify'>): Promise<OutputOf<'verify'>> {
  try {
    const run = await lookUpRun(context, runId);
    if (run === undefined) return await verifyAbsent(context, runId);
    const entries = (await context.reader.whole([run.id])).get(run.id) ?? [];
    const blobs = await context.reader.blobsOf(entries);
    const broken = context.reader.brokenAt(runId, entries, blobs) ?? (await besides(context, run, { entries, blobs }));
    if (broken !== undefined) return { status: 'broken', seq: broken.seq, reason: broken.reason };
    return provedBy(entries, head);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { status: 'broken', seq: 0, reason: error.message };
  }
}

function provedBy(entries: readonly StoredEntry[], head: string | null): StoreVerification {
  if (head === null) return { status: 'consistent', entries: entries.length };
  const proved = entries.findLast(({ hash }) => hash === head);
  if (proved === undefined)
    return { status: 'broken', seq: entries.length, reason: 'no entry has the hash that was given as head' };
  return { status: 'proved', entries: entries.length, seq: proved.seq };
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
