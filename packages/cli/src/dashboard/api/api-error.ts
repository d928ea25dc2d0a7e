import { z } from 'zod';

/** Every refusal, in one form. */
export const apiErrorSchema = z
  .object({
    error: z.object({
      code: z.string().describe('The code of the library, or one of the API.'),
      message: z.string(),
      details: z.unknown().optional(),
    }),
  })
  .meta({ id: 'ApiError' });

export type ApiErrorBody = z.infer<typeof apiErrorSchema>;
