import { z } from 'zod';

/** The facts that the page needs before anything else. */
export const sessionSchema = z
  .object({
    version: z.string(),
    store: z.string(),
    readOnly: z.boolean(),
    by: z.string().describe('Who acts, for the journal.'),
    followable: z.boolean().describe('True where changes are sent as they happen.'),
    run: z.string().optional().describe('The run that the page was opened for.'),
  })
  .meta({ id: 'Session' });

export type Session = z.infer<typeof sessionSchema>;
