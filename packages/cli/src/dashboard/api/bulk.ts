import { z } from 'zod';
import { cancelBodySchema, resumeBodySchema } from './action-bodies.js';

const chosen = {
  runIds: z.array(z.string().min(1).max(500)).min(1).max(200).readonly(),
  by: z.string().min(1).max(200).optional(),
};

/** One action for many runs. */
export const bulkBodySchema = z
  .discriminatedUnion('action', [
    z.strictObject({ action: z.literal('resume'), ...chosen, changes: resumeBodySchema.omit({ by: true }).optional() }),
    z.strictObject({ action: z.literal('retry'), ...chosen }),
    z.strictObject({ action: z.literal('cancel'), ...chosen, changes: cancelBodySchema.omit({ by: true }).optional() }),
  ])
  .meta({ id: 'BulkBody' });

export type BulkBody = z.infer<typeof bulkBodySchema>;

export const bulkItemSchema = z.object({
  runId: z.string(),
  name: z.string().optional(),
  ok: z.boolean(),
  message: z.string().describe('What will happen or has happened, or why nothing will.'),
  code: z.string().optional().describe('The code of the refusal.'),
  newRunId: z.string().optional(),
});

export type BulkItem = z.infer<typeof bulkItemSchema>;

/** The effect of a bulk action, planned or done, run by run. */
export const bulkResultSchema = z
  .object({ items: z.array(bulkItemSchema).readonly(), possible: z.number(), refused: z.number() })
  .meta({ id: 'BulkResult' });

export type BulkResult = z.infer<typeof bulkResultSchema>;
