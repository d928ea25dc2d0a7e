import { type Break, brokenAt, provedBy } from '../../store/chain.js';
import type { InputOf, OutputOf, StoredEntry, StoreVerification } from '../../store/operations.js';
import { fitsRequests, landmarks, lastSeq, misfitOf } from '../../store/run-misfits.js';
import { type Context, findRun, type RunRow } from './context.js';
import { pageRows } from './journal/journal-reader.js';
import { readUnconsumed } from './messages.js';
import { noticeDamage } from './notices.js';
import { integer, optional, text, word } from './rows/columns.js';
import { isDamage } from './rows/damaged-row.js';
import { storedParts } from './stored-parts.js';
import { summary } from './summaries.js';

/** Checks everything that is stored of a run: the chain, large values, and the tables that are derived from it. */
export function verify(context: Context, { runId, head }: InputOf<'verify'>): OutputOf<'verify'> {
  const entries: StoredEntry[] = [];
  for (let seen: readonly StoredEntry[] = []; ; ) {
    const part = verified(context, { runId, seen });
    for (const entry of part.entries) entries.push(entry);
    if ('verification' in part)
      return part.verification.status === 'consistent' ? provedBy(entries, head) : part.verification;
    seen = part.seen;
  }
}

/** The same with the entries, for whoever needs both: a journal is long, and so read once. */
export function verified(context: Context, { runId, seen }: InputOf<'verified'>): OutputOf<'verified'> {
  try {
    const run = findRun(context, runId);
    if (run === undefined) return { verification: verifyAbsent(context, runId), entries: [] };
    const rows = context.reader.verifiedPart(run.id, runId, seen.at(-1));
    if ('reason' in rows) return brokenAt(rows);
    const marked = [...seen, ...landmarks(rows)];
    const entries = rows.map((row) => context.reader.open(row));
    if (rows.length === pageRows) return { entries, seen: marked };
    const broken = besides(context, run, marked);
    if (broken !== undefined) return brokenAt(broken);
    return { verification: { status: 'consistent', entries: lastSeq(marked) }, entries };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return brokenAt({ seq: 0, reason: error.message });
  }
}

/** The differences between the journal and the tables beside it. */
function besides(context: Context, run: RunRow, entries: readonly StoredEntry[]): Break | undefined {
  const misfit =
    misfitOf(run, storedParts(context, run.id, entries)) ??
    requestsMisfit(context, run, entries) ??
    noticeDamage(context, run.id);
  if (misfit !== undefined) return misfit;
  readUnconsumed(context, run.id);
  // A mark of an earlier look says nothing about what is there now.
  const shown = summary(context, { runId: run.run_id, now: 0, monotonic: 0 });
  return run.damaged_seq === null ? (shown?.damage ?? undefined) : undefined;
}

const requestColumns = {
  request: text('request'),
  state: word('state', ['open', 'answered', 'expired']),
  deadline: optional(integer('deadline')),
  answered_at: optional(integer('answered_at')),
  answered_by: optional(text('answered_by')),
};

function requestsMisfit(context: Context, run: RunRow, entries: readonly StoredEntry[]): Break | undefined {
  const rows = context.connection.select(requestColumns, 'FROM requests WHERE run = ?').all(run.id);
  if (fitsRequests(rows, entries, (entry) => context.reader.open(entry).data)) return undefined;
  return { seq: lastSeq(entries), reason: 'the table of requests differs from what the journal says' };
}

const tombstoneColumns = {
  erased_at: integer('erased_at'),
  entries: integer('entries'),
  head: optional(text('head')),
  erased_by: optional(text('erased_by')),
};

function verifyAbsent({ connection }: Context, runId: string): StoreVerification {
  const tombstone = connection.select(tombstoneColumns, 'FROM tombstones WHERE run_id = ?').get(runId);
  if (tombstone === undefined) return { status: 'unknown' };
  const { erased_at: at, entries, head: last, erased_by: by } = tombstone;
  return { status: 'erased', at, entries, ...(last !== null && { head: last }), ...(by !== null && { by }) };
}

const findingColumns = { finding: text('integrity_check') };

/** Checks the file itself: its pages, its indexes, the types of its cells. */
export function check({ connection }: Context): OutputOf<'check'> {
  const findings = connection.select(findingColumns, 'FROM pragma_integrity_check').found();
  const texts = findings.map((found) => ('row' in found ? found.row.finding : 'a finding that cannot be read'));
  return texts.length === 1 && texts[0] === 'ok' ? [] : texts;
}
