import { z } from 'zod';
import { suggestedActionSchema } from './next-step.js';
import { categorySchema } from './run-row.js';

const tally = {
  count: z.number(),
  costUsd: z.number(),
  unpriced: z.number().describe('How many of them have a price that is not known.'),
  estimated: z.number().describe('How many of them have usage that was guessed.'),
  tokens: z.number(),
  durationMs: z.number(),
};

export const endingTallySchema = z.object({ kind: z.string(), category: categorySchema, ...tally });

export type EndingTally = z.infer<typeof endingTallySchema>;

/** The runs that started within a part of the time, by category. */
export const bucketSchema = z.object({
  from: z.number(),
  to: z.number(),
  byCategory: z.partialRecord(categorySchema, z.number()),
});

export type Bucket = z.infer<typeof bucketSchema>;

/** Runs that ended in the same way for the same reason. */
export const endingGroupSchema = z
  .object({
    key: z.string(),
    kind: z.string(),
    category: categorySchema,
    rootCause: z.string().describe('The kind at the end of the chain of causes, with what tells it from others.'),
    count: z.number(),
    runIds: z.array(z.string()).readonly().describe('The newest of them, at most 200.'),
    sentence: z.string().describe('The summary of the newest of them.'),
    actions: z.array(suggestedActionSchema).readonly().describe('What can be done with all of them.'),
  })
  .meta({ id: 'EndingGroup' });

export type EndingGroup = z.infer<typeof endingGroupSchema>;

/** How runs ended, over time, by name and by cost. */
export const overviewSchema = z
  .object({
    runs: z.number(),
    unfinished: z.number(),
    from: z.number(),
    to: z.number(),
    overTime: z.array(bucketSchema).readonly(),
    byName: z
      .array(z.object({ name: z.string(), count: z.number(), byCategory: z.partialRecord(categorySchema, z.number()) }))
      .readonly(),
    costByEnding: z.array(endingTallySchema).readonly(),
    groups: z.array(endingGroupSchema).readonly(),
    grouped: z.number().describe('How many runs the names and the groups were made from, the newest first.'),
    complete: z.boolean().describe('False where names and groups leave out older runs; the counts never do.'),
  })
  .meta({ id: 'Overview' });

export type Overview = z.infer<typeof overviewSchema>;
