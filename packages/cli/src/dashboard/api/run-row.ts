import { z } from 'zod';
import { nextStepSchema } from './next-step.js';

/** How an ending or a state looks at a glance: a tone for the colour, and a word and a sign so that colour is never the only sign. */
export const lookSchema = z.object({
  tone: z.enum(['success', 'failed', 'stopped', 'waiting', 'running', 'cancelled', 'unknown']),
  word: z.string().describe('The kind of the ending, or the state of a run that has none.'),
  icon: z.string(),
});

export type Look = z.infer<typeof lookSchema>;

export const categorySchema = z.enum(['success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal']);
export const outcomeSchema = z.enum(['succeeded', 'skipped', 'paused', 'cancelled', 'failed']);
export const stateSchema = z.enum(['ready', 'running', 'parked', 'ended']);

const instant = z.number().describe('Milliseconds since 1970.');

/** One run in a list: the engine's summary with what follows from it. */
export const runRowSchema = z
  .object({
    runId: z.string(),
    name: z.string(),
    version: z.string(),
    parent: z.object({ runId: z.string(), scope: z.string() }).optional(),
    conversation: z
      .object({
        id: z.string(),
        turn: z.number(),
        after: z.object({ runId: z.string(), segment: z.number() }).optional(),
      })
      .optional(),
    state: stateSchema,
    worker: z.string().optional(),
    orphaned: z.boolean().optional().describe('True while its owner is gone and nobody executes it.'),
    silentSince: instant.optional(),
    segment: z.number(),
    startedAt: instant,
    updatedAt: instant,
    kind: z.string().optional(),
    category: categorySchema.optional(),
    outcome: outcomeSchema.optional(),
    summary: z.string().optional(),
    usage: z.object({ inputTokens: z.number(), outputTokens: z.number(), totalTokens: z.number() }).optional(),
    costUsd: z.number().nullable().optional().describe('Null where a price is not known; never 0 for want of it.'),
    estimated: z.boolean().optional(),
    durationMs: z.number().optional(),
    damage: z.object({ seq: z.number(), reason: z.string() }).optional(),
    look: lookSchema,
    sentence: z.string().describe('Why it is where it is, in the words of `fullstop why`.'),
    next: z.array(nextStepSchema).readonly(),
    requests: z.number().describe('How many questions wait for an answer.'),
    deadline: instant.optional().describe('The first deadline among them.'),
  })
  .meta({ id: 'RunRow' });

export type RunRow = z.infer<typeof runRowSchema>;

/** A page of runs, newest first. */
export const runPageSchema = z
  .object({
    runs: z.array(runRowSchema).readonly(),
    next: z.string().optional().describe('The cursor of the next page.'),
  })
  .meta({ id: 'RunPage' });

export type RunPageBody = z.infer<typeof runPageSchema>;
