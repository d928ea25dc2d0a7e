import type { Engine } from 'fullstop/engine';
import { requestsOnTime } from '../answer/requests-on-time.js';
import type { RunRecord } from '../why/explain-run.js';
import { findRun } from './find-run.js';

/** Everything that is stored of the run that a person means. */
export async function readRun(engine: Engine, named: string | undefined): Promise<RunRecord> {
  const summary = await findRun(engine, named);
  const { runId } = summary;
  const [journal, ending, requests] = await Promise.all([
    engine.journal(runId),
    engine.ending(runId),
    engine.openRequests(runId),
  ]);
  return { summary, journal, ending, requests: requestsOnTime(requests) };
}
