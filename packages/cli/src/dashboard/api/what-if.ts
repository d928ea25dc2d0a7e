import { z } from 'zod';

const whole = z.number().int().positive();

/** Limits to try on recorded runs, by the names of `fullstop what-if`. */
export const whatIfBodySchema = z
  .strictObject({
    name: z.string().max(500).optional().describe('Runs of this name; of all names unless given.'),
    runIds: z.array(z.string().max(500)).max(200).readonly().optional().describe('These runs instead.'),
    last: whole.max(500).optional().describe('The newest so many; 100 unless given.'),
    limits: z.strictObject({
      'max-iterations': whole.optional(),
      'max-cycles': whole.optional(),
      'max-facts': whole.optional(),
      'max-tool-calls': whole.optional(),
      tokens: whole.optional(),
      cost: z.number().positive().optional().describe('In dollars.'),
      timeout: z
        .union([whole, z.string().max(50)])
        .optional()
        .describe('Milliseconds, or a duration such as 90s.'),
      'loop-repeats': whole.optional(),
      stall: whole.optional(),
      'no-progress': whole.optional(),
      'consecutive-errors': whole.optional(),
      'consecutive-mistakes': whole.optional(),
      'stop-on-tool': z.string().max(200).optional(),
    }),
  })
  .meta({ id: 'WhatIfBody' });

export type WhatIfBody = z.infer<typeof whatIfBodySchema>;

const savings = z.object({
  tokens: z.number(),
  costUsd: z.number(),
  unpriced: z.boolean().optional(),
  estimated: z.boolean().optional(),
  ms: z.number(),
  iterations: z.number(),
});

/** The effect of the limits on all of the runs together, and on each. */
export const whatIfResultSchema = z
  .object({
    totals: z.object({
      runs: z.number(),
      cut: z.number(),
      beyond: z.number(),
      unknown: z.number(),
      results: z.number(),
      kept: z.number(),
      saved: savings,
      spent: savings,
    }),
    trials: z
      .array(
        z.object({ runId: z.string(), status: z.enum(['cut', 'beyond', 'same', 'unknown']), sentence: z.string() }),
      )
      .readonly(),
    complete: z.boolean().describe('False where there are more runs than were tried.'),
  })
  .meta({ id: 'WhatIfResult' });

export type WhatIfResult = z.infer<typeof whatIfResultSchema>;
