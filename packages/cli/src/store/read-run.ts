import type { StoreEngine } from 'fullstop/engines/sqlite';
import { requestsOnTime } from '../answer/requests-on-time.js';
import { lateEntries } from '../journal/late-entries.js';
import type { DamagedRun, RunRecord } from '../why/explain-run.js';
import { findRun } from './find-run.js';

/** Everything that is stored of the run that a person means, once it has been verified. */
export async function readRun(engine: StoreEngine, named: string | undefined): Promise<RunRecord | DamagedRun> {
  const summary = await findRun(engine, named);
  const { runId } = summary;
  if (summary.damage !== undefined) return { summary, damage: summary.damage };
  const { verification, entries } = await engine.verifiedJournal(runId);
  if (verification.status === 'broken')
    return { summary, damage: { seq: verification.seq, reason: verification.reason } };
  const [ending, requests] = await Promise.all([engine.ending(runId), engine.openRequests(runId)]);
  const last = entries.at(-1);
  // An ending is told only with the journal that it ended: a run that went on meanwhile is read again.
  if (ending?.segment !== (last?.type === 'segment_ended' ? last.segment : undefined)) return readRun(engine, runId);
  return { summary, journal: lateEntries(runId, entries), ending, requests: requestsOnTime(requests) };
}
