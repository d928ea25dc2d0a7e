import type { StoreEngine } from 'fullstop/engines/sqlite';
import type { JournalEntry } from 'fullstop/journal';
import { requestsOnTime } from '../answer/requests-on-time.js';
import { lateEntries } from '../journal/late-entries.js';
import type { DamagedRun, RunRecord } from '../why/explain-run.js';
import { findRun } from './find-run.js';

/** Takes in a journal as far as it was read; the same list grows from call to call. */
export type FollowJournal = (journal: RunRecord['journal']) => void;

/** Everything that is stored of the run that a person means, once it has been verified. Each attempt to read it is followed by another one of `follower`. */
export async function readRun(
  engine: StoreEngine,
  named: string | undefined,
  follower?: () => FollowJournal,
): Promise<RunRecord | DamagedRun> {
  const summary = await findRun(engine, named);
  const { runId } = summary;
  if (summary.damage !== undefined) return { summary, damage: summary.damage };
  const journal: JournalEntry[] = [];
  const late = lateEntries(runId);
  const follow = follower?.();
  const verification = await engine.readVerified(runId, (entries) => {
    for (const entry of entries) journal.push(late(entry));
    follow?.(journal);
  });
  if (verification.status === 'broken')
    return { summary, damage: { seq: verification.seq, reason: verification.reason } };
  const [ending, requests] = await Promise.all([engine.ending(runId), engine.openRequests(runId)]);
  const last = journal.at(-1);
  // An ending is told only with the journal that it ended: a run that went on meanwhile is read again.
  if (ending?.segment !== (last?.type === 'segment_ended' ? last.segment : undefined))
    return readRun(engine, runId, follower);
  return { summary, journal, ending, requests: requestsOnTime(requests) };
}
