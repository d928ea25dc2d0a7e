import { z } from 'zod';

/** The meaning of a button: the action of the API with the values that it suggests. */
export const suggestedActionSchema = z.object({
  type: z.enum(['answer', 'cancel', 'resume', 'retry', 'watch', 'show']),
  requestId: z.string().optional().describe('The request that an answer is for.'),
  values: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]))
    .describe('Values for the body of the action, by their names there.'),
  asks: z.array(z.string()).readonly().describe('The values among them that a person has to put in first.'),
});

export type SuggestedAction = z.infer<typeof suggestedActionSchema>;

/** Something to do next, as `fullstop why` says it. */
export const nextStepSchema = z
  .object({
    text: z.string(),
    command: z.string().optional().describe('The command to copy.'),
    action: suggestedActionSchema.optional(),
  })
  .meta({ id: 'NextStep' });

export type NextStep = z.infer<typeof nextStepSchema>;
