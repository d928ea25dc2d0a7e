import { z } from 'zod';
import { categorySchema, outcomeSchema, stateSchema } from './run-row.js';

const instant = z.coerce.number().int().nonnegative();
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** The filters that the list and the overview share; each narrows. */
export const runFilterSchema = z.strictObject({
  state: stateSchema.optional(),
  kind: z.string().max(200).optional(),
  category: categorySchema.optional(),
  outcome: outcomeSchema.optional(),
  name: z.string().max(500).optional(),
  q: z.string().max(500).optional().describe('Part of the id, the name, the kind or the summary.'),
  conversation: z.string().max(500).optional(),
  parent: z.string().max(500).optional().describe('Only the runs that this one spawned.'),
  roots: flag.optional().describe('Only runs that no other run spawned.'),
  after: instant.optional().describe('Only runs that started after this instant.'),
  before: instant.optional().describe('Only runs that started before this instant.'),
});

export type RunFilterQuery = z.infer<typeof runFilterSchema>;

/** The query of a page of runs. */
export const runPageQuerySchema = runFilterSchema.extend({
  ids: z
    .string()
    .max(20_000)
    .transform((text) => text.split(',').filter((id) => id !== ''))
    .optional()
    .describe('Only these runs, separated by commas; at most 200.'),
  cursor: z.string().max(1000).optional().describe('`next` of the page before.'),
  limit: z.coerce.number().int().min(1).max(200).optional().describe('50 unless given.'),
});

export type RunPageQuery = z.infer<typeof runPageQuerySchema>;

/** The query of the overview. */
export const overviewQuerySchema = runFilterSchema.extend({
  bucket: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .optional()
    .describe('How many parts the time is divided into; 24 unless given.'),
});

export type OverviewQuery = z.infer<typeof overviewQuerySchema>;
