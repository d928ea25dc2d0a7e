import type { Engine } from 'fullstop/engine';
import { z } from 'zod';
import { conditionsOf } from '../../what-if/limit-options.js';
import { type RecordedRun, recordedRun } from '../../what-if/recorded-run.js';
import { totalsText } from '../../what-if/totals-text.js';
import { type TrialTotals, totalsOf, tryLimits } from '../../what-if/try-limits.js';

const amount = z.number().positive().optional();

/** Limits to try on the runs of a name; times are in milliseconds. */
export const whatIfBodySchema = z
  .strictObject({
    name: z.string().min(1).max(500),
    last: z.number().int().min(1).max(500).optional().describe('How many of the newest; 200 unless given.'),
    limits: z.strictObject({
      'max-iterations': amount,
      'max-cycles': amount,
      'max-facts': amount,
      'max-tool-calls': amount,
      tokens: amount,
      cost: amount,
      timeout: amount,
      'loop-repeats': amount,
      stall: amount,
      'no-progress': amount,
      'consecutive-errors': amount,
      'consecutive-mistakes': amount,
    }),
  })
  .meta({ id: 'WhatIfBody' });

export const whatIfAllSchema = z
  .object({
    runs: z.number(),
    complete: z.boolean().describe('False where there are older runs that were not looked at.'),
    sentence: z.string(),
    totals: z.custom<TrialTotals>(),
  })
  .meta({ id: 'WhatIfAll' });

/** Tries limits on the newest runs of a name, from what was recorded of each. */
export async function tryOnAll(
  engine: Engine,
  { name, last = 200, limits }: z.output<typeof whatIfBodySchema>,
): Promise<z.input<typeof whatIfAllSchema>> {
  const conditions = conditionsOf(limits as Parameters<typeof conditionsOf>[0]);
  const { runs: found, next } = await engine.list({ name, limit: last });
  const runs: RecordedRun[] = [];
  for (const { runId, damage } of found) {
    if (damage !== undefined) continue;
    const [entries, ending] = await Promise.all([engine.journal(runId), engine.ending(runId)]);
    runs.push(recordedRun(runId, name, entries, ending));
  }
  const totals = totalsOf(
    runs,
    runs.map((run) => tryLimits(run, conditions)),
  );
  return { runs: runs.length, complete: next === undefined, sentence: totalsText(totals), totals };
}
