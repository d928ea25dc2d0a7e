import { z } from 'zod';

/** `event: runs` of `/api/events`. */
export const runsChangedSchema = z.object({
  runIds: z.array(z.string()).readonly().describe('Runs that are new, changed or gone.'),
  complete: z.boolean().describe('False where more changed than is listed: load the list again.'),
});

export type RunsChanged = z.infer<typeof runsChangedSchema>;

/** `event: hello`, the first of every stream. */
export const helloSchema = z.object({ version: z.string(), at: z.number() });

export type Hello = z.infer<typeof helloSchema>;
