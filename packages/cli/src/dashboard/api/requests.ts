import { z } from 'zod';

/** A question that waits for an answer, with what is needed to answer it. */
export const requestRowSchema = z
  .object({
    runId: z.string(),
    name: z.string().describe('The name of the run.'),
    id: z.string(),
    type: z.enum(['approval', 'input', 'client_tool', 'confirm_outcome', 'gate']),
    path: z.string(),
    question: z.string(),
    summary: z.string().optional(),
    choices: z
      .array(
        z.object({
          value: z.string(),
          label: z.string(),
          evades: z.literal(true).optional().describe('For a choice that is no answer, such as skipping a question.'),
          field: z
            .object({ name: z.string(), severalLines: z.boolean() })
            .optional()
            .describe('A text that this choice asks for in addition.'),
        }),
      )
      .readonly(),
    otherAnswers: z.boolean().describe('True when an answer may be something else than one of the choices.'),
    severalLines: z.boolean(),
    tool: z.string().optional(),
    input: z.unknown().optional(),
    schema: z.unknown().optional().describe('The JSON Schema of the answer, where there is one.'),
    openedAt: z.number(),
    deadline: z.number().optional(),
    onExpiry: z.enum(['end', 'reject', 'approve', 'escalate']).optional(),
    answerers: z.array(z.string()).readonly().optional(),
  })
  .meta({ id: 'RequestRow' });

export type RequestRow = z.infer<typeof requestRowSchema>;

export const requestListSchema = z.object({
  requests: z.array(requestRowSchema).readonly().describe('The first deadline first, then the oldest.'),
  complete: z.boolean(),
});

export type RequestList = z.infer<typeof requestListSchema>;
