import { z } from 'zod';

/** The entries after which a run can be forked. */
export const forkPointsSchema = z
  .object({
    points: z.array(z.number()).readonly(),
    refused: z
      .array(z.object({ seq: z.number(), reason: z.string() }))
      .readonly()
      .describe('The other entries, with why.'),
  })
  .meta({ id: 'ForkPoints' });

export type ForkPoints = z.infer<typeof forkPointsSchema>;
