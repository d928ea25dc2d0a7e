import * as v from 'valibot';
import { z } from 'zod';
import { defineTermination } from './define-termination.js';

/** A success of one's own, described by zod. */
export const reconciled = defineTermination({
  kind: 'billing.reconciled',
  schema: z.object({ findings: z.number().int().min(0), notes: z.array(z.string()).optional() }),
  family: 'completion',
  category: 'success',
  tag: 'reconciled',
  describe: (t) => `The books agree, with ${t.findings} findings.`,
});

/** A limit of one's own, described by valibot, whose category and outcome depend on its evidence. */
export const throttled = defineTermination({
  kind: 'gateway.throttled',
  schema: v.object({ retryAfterMs: v.number(), banned: v.optional(v.boolean()) }),
  family: 'limit',
  category: (t): 'retryable' | 'fatal' => (t.banned ? 'fatal' : 'retryable'),
  outcome: (t) => (t.banned ? 'failed' : 'cancelled'),
});
