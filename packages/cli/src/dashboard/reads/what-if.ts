import type { RunSummary } from 'fullstop/engine';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import { trialText } from '../../render/what-if-text.js';
import { makeStyle } from '../../terminal/style.js';
import { conditionOf, type LimitName } from '../../what-if/limit-options.js';
import { type RecordedRun, recordedRun } from '../../what-if/recorded-run.js';
import { totalsOf, tryLimits } from '../../what-if/try-limits.js';
import type { WhatIfBody, WhatIfResult } from '../api/what-if.js';
import { ApiError } from '../http/api-error.js';

const usualRuns = 100;
const plain = makeStyle(false);

/** Folds limits over recorded runs, as `fullstop what-if` does. */
export async function whatIf(engine: StoreEngine, body: WhatIfBody): Promise<WhatIfResult> {
  const conditions = Object.entries(body.limits).flatMap(([name, value]) =>
    value === undefined ? [] : [conditionOf(name as LimitName, value)],
  );
  if (conditions.length === 0)
    throw new ApiError('what-if needs a limit to try, such as max-iterations.', {
      status: 400,
      code: 'INVALID_REQUEST',
    });
  const { runs: chosen, complete } = await chosenRuns(engine, body);
  const runs: RecordedRun[] = [];
  for (const { runId, name } of chosen) {
    const [entries, ending] = await Promise.all([engine.journal(runId), engine.ending(runId)]);
    runs.push(recordedRun(runId, name, entries, ending));
  }
  const trials = runs.map((run) => tryLimits(run, conditions));
  return {
    totals: totalsOf(runs, trials),
    trials: trials.map((trial) => ({
      runId: trial.runId,
      status: trial.status,
      sentence: trialText(trial, plain),
    })),
    complete,
  };
}

async function chosenRuns(
  engine: StoreEngine,
  { name, runIds, last = usualRuns }: WhatIfBody,
): Promise<{ readonly runs: readonly RunSummary[]; readonly complete: boolean }> {
  if (runIds !== undefined) {
    const found = await Promise.all(runIds.map((runId) => engine.summary(runId)));
    const runs = found.flatMap((run) => (run === undefined || run.damage !== undefined ? [] : [run]));
    return { runs, complete: runs.length === runIds.length };
  }
  const { runs, next } = await engine.list({ limit: last, ...(name !== undefined && { name }) });
  return { runs: runs.filter(({ damage }) => damage === undefined), complete: next === undefined };
}
