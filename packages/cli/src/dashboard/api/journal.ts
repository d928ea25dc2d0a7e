import { z } from 'zod';

/** An entry of a journal as it is stored, with secrets masked. */
export const journalEntrySchema = z
  .object({
    runId: z.string(),
    segment: z.number(),
    seq: z.number(),
    scope: z.string(),
    ordinal: z.number(),
    at: z.number(),
    type: z.string(),
    key: z.string().optional(),
    data: z.unknown(),
    hash: z.string().optional(),
  })
  .meta({ id: 'JournalEntry' });

/** An entry in a list: of large data only the beginning is there. */
const pagedEntrySchema = journalEntrySchema
  .extend({
    data: z.unknown().optional(),
    cut: z
      .object({
        bytes: z.number().describe('How large the data is as JSON.'),
        head: z.string().describe('The beginning of its JSON.'),
      })
      .optional()
      .describe('In the place of data that is large; `/journal/{seq}` has it.'),
  })
  .meta({ id: 'PagedJournalEntry' });

export type PagedEntry = z.infer<typeof pagedEntrySchema>;

export const journalQuerySchema = z.strictObject({
  after: z.coerce.number().int().nonnegative().optional().describe('Entries after this number.'),
  limit: z.coerce.number().int().min(1).max(1000).optional().describe('200 unless given.'),
  type: z
    .string()
    .max(1000)
    .transform((text) => text.split(',').filter((type) => type !== ''))
    .optional()
    .describe('Only entries of these types, separated by commas.'),
  q: z.string().max(500).optional().describe('Only entries with this text.'),
});

export type JournalPageQuery = z.infer<typeof journalQuerySchema>;

export const journalPageSchema = z.object({
  entries: z.array(pagedEntrySchema).readonly(),
  next: z.number().optional().describe('`after` of the next page; absent at the end of the journal.'),
  head: z.number().describe('The number of the last entry that there is.'),
});

export type JournalPage = z.infer<typeof journalPageSchema>;
