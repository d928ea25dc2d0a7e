import type { RunDamage } from 'fullstop/engine';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import { requestsOnTime } from '../answer/requests-on-time.js';
import type { DamagedRun, RunRecord } from '../why/explain-run.js';
import { findRun } from './find-run.js';

/** Everything that is stored of the run that a person means, once it has been verified. */
export async function readRun(engine: StoreEngine, named: string | undefined): Promise<RunRecord | DamagedRun> {
  const summary = await findRun(engine, named);
  const { runId } = summary;
  const damage = summary.damage ?? (await damageOf(engine, runId));
  if (damage !== undefined) return { summary, damage };
  const [journal, ending, requests] = await Promise.all([
    engine.journal(runId),
    engine.ending(runId),
    engine.openRequests(runId),
  ]);
  return { summary, journal, ending, requests: requestsOnTime(requests) };
}

async function damageOf(engine: StoreEngine, runId: string): Promise<RunDamage | undefined> {
  const verdict = await engine.verify(runId);
  return verdict.status === 'broken' ? { seq: verdict.seq, reason: verdict.reason } : undefined;
}
