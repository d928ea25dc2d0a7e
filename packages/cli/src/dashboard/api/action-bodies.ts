import { z } from 'zod';

const by = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Who acts, for the journal; the user of the server unless given.');
const positive = z.number().positive();
const whole = z.number().int().positive();

/** An answer to a question of a run. */
export const answerBodySchema = z
  .strictObject({
    requestId: z.string().min(1).max(500),
    decision: z.enum(['approve', 'deny', 'choose', 'value']),
    choice: z.string().max(2000).optional().describe('For `choose`.'),
    value: z.unknown().optional().describe('For `value`: any JSON value. For `approve`: the edited input of the tool.'),
    fields: z.record(z.string(), z.string()).optional().describe('What a choice asks for in addition.'),
    note: z.string().max(10_000).optional(),
    by,
  })
  .meta({ id: 'AnswerBody' });

export type AnswerBody = z.infer<typeof answerBodySchema>;

export const cancelBodySchema = z
  .strictObject({ reason: z.string().max(10_000).optional(), hard: z.boolean().optional(), by })
  .meta({ id: 'CancelBody' });

export type CancelBody = z.infer<typeof cancelBodySchema>;

/** The changes of a resume. Limits are totals. */
export const resumeBodySchema = z
  .strictObject({
    maxIterations: whole.optional(),
    maxToolCalls: whole.optional(),
    maxCycles: whole.optional(),
    maxFacts: whole.optional(),
    steps: whole.optional(),
    tokens: whole.optional(),
    cost: positive.optional().describe('In dollars.'),
    timeout: z.string().max(50).optional().describe('A duration such as 90s or 2h.'),
    deadline: z.array(z.string().max(600)).readonly().optional().describe('New deadlines, such as `review=1d`.'),
    settled: z.array(z.string().max(500)).readonly().optional(),
    note: z.string().max(10_000).optional(),
    without: z.array(z.string().max(200)).readonly().optional(),
    at: z.string().max(1000).optional(),
    maxOutputTokens: whole.optional(),
    repair: whole.optional(),
    guidance: z.string().max(100_000).optional(),
    skipGates: z.boolean().optional(),
    useCurrent: z.boolean().optional(),
    provider: z.string().max(200).optional(),
    model: z.string().max(200).optional(),
    by,
  })
  .meta({ id: 'ResumeBody' });

export type ResumeBody = z.infer<typeof resumeBodySchema>;

const inputs = z
  .record(z.string(), z.unknown())
  .describe('Inputs by name; of a new run, those that are to be other ones.');

export const retryBodySchema = z
  .strictObject({ inputs: inputs.optional(), useCurrent: z.boolean().optional(), by })
  .meta({ id: 'RetryBody' });

export type RetryBody = z.infer<typeof retryBodySchema>;

export const forkBodySchema = z
  .strictObject({
    at: z.number().int().positive().describe('The entry up to which the journal is copied.'),
    inputs: inputs.optional(),
    resume: resumeBodySchema.optional().describe('Resumes the new run with these changes.'),
    by,
  })
  .meta({ id: 'ForkBody' });

export type ForkBody = z.infer<typeof forkBodySchema>;

export const startBodySchema = z
  .strictObject({
    inputs: inputs.optional(),
    maxIterations: whole.optional(),
    skipGates: z.boolean().optional(),
    provider: z.string().max(200).optional(),
    model: z.string().max(200).optional(),
    scripted: z.string().max(2000).optional(),
    by,
  })
  .meta({ id: 'StartBody' });

export type StartBody = z.infer<typeof startBodySchema>;

/** The outcome of an action. */
export const actionReceiptSchema = z
  .object({
    runId: z.string().describe('The run that was acted on, or the new one.'),
    status: z.enum(['delivered', 'requested', 'ended', 'opened', 'started', 'forked']),
    message: z.string().describe('The same in words.'),
    execution: z
      .enum(['worker', 'elsewhere', 'none'])
      .describe(
        'Who continues it: a worker of this machine, a worker of its own program, or nobody, because nothing is to be done.',
      ),
  })
  .meta({ id: 'ActionReceipt' });

export type ActionReceipt = z.infer<typeof actionReceiptSchema>;
