import { z } from 'zod';
import { forkPointsSchema } from '../api/fork-points.js';
import { journalEntrySchema } from '../api/journal.js';
import { whatIfBodySchema, whatIfResultSchema } from '../api/what-if.js';
import { workflowFormSchema } from '../api/workflows.js';
import { ApiError } from '../http/api-error.js';
import { type ApiRoute, jsonRoute } from '../http/route.js';
import type { RecordReader } from '../reads/record-reader.js';
import { retryForm } from '../reads/retry-form.js';
import { whatIf } from '../reads/what-if.js';
import type { DashboardSurroundings } from '../surroundings.js';
import { type Conversation, conversationOf } from '../view/conversation.js';
import { type FactsView, factsOf } from '../view/facts.js';
import { type Timeline, timelineOf } from '../view/timeline.js';
import { type WhatIfView, whatIfView } from '../view/what-if-view.js';

const seq = z.coerce.number().int().nonnegative();
const conversationQuerySchema = z.strictObject({
  path: z.string().max(2000).optional().describe('Only what was said in this unit.'),
  after: seq.optional(),
  limit: z.coerce.number().int().min(1).max(1000).optional(),
});

/** The tabs of the page of a run, each a projection of its journal. */
export function tabRoutes(around: DashboardSurroundings): readonly ApiRoute[] {
  const {
    store,
    pages: { reader },
  } = around;
  const read = (params: Readonly<Record<string, string>>): ReturnType<RecordReader['readWhole']> =>
    reader.readWhole(params['id'] ?? '');
  return [
    jsonRoute({
      method: 'get',
      path: '/runs/:id/timeline',
      summary: 'Iterations, calls, waits and budgets over time',
      response: z.custom<Timeline>().meta({ id: 'Timeline' }),
      handle: async ({ params }) => timelineOf(await read(params)),
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/conversation',
      summary: 'Everything that was said to and by models, tools and people',
      query: conversationQuerySchema,
      response: z.custom<Conversation>().meta({ id: 'Conversation' }),
      handle: async ({ params, query }) => conversationOf(await read(params), query),
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/facts',
      summary: 'The cycles, facts and proofs of its convergences',
      response: z.custom<FactsView>().meta({ id: 'FactsView' }),
      handle: async ({ params }) => factsOf(await read(params)),
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/what-if',
      summary: 'Where every other limit would have ended it',
      response: z.custom<WhatIfView>().meta({ id: 'WhatIfView' }),
      handle: async ({ params }) => whatIfView(await read(params)),
    }),
    ...againRoutes(around, reader),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/journal/:seq',
      summary: 'One entry of the journal, whole',
      response: journalEntrySchema,
      handle: async ({ params }) => {
        const wanted = Number(params['seq']);
        const [entry] = await store.engine.journal(params['id'] ?? '', { after: Math.max(0, wanted - 1), limit: 1 });
        if (entry?.seq !== wanted)
          throw new ApiError(`There is no entry ${params['seq']}.`, { status: 404, code: 'ENTRY_NOT_FOUND' });
        return entry;
      },
    }),
    jsonRoute({
      method: 'post',
      path: '/what-if',
      summary: 'Where other limits would have ended many runs, and what they would have saved',
      changes: false,
      body: whatIfBodySchema,
      response: whatIfResultSchema,
      handle: ({ body }) => whatIf(store.engine, body),
    }),
  ];
}

/** From where and with what a run can be started again. */
function againRoutes({ env }: DashboardSurroundings, reader: RecordReader): readonly ApiRoute[] {
  return [
    jsonRoute({
      method: 'get',
      path: '/runs/:id/forks',
      summary: 'The entries after which it can be forked',
      response: forkPointsSchema,
      handle: async ({ params }) => {
        const { journal } = await reader.readWhole(params['id'] ?? '');
        const { forkPoints } = await import('fullstop/journal');
        const points = forkPoints(journal);
        return {
          points: points.flatMap((point) => (point.possible ? [point.seq] : [])),
          refused: points.flatMap((point) => (point.possible ? [] : [{ seq: point.seq, reason: point.reason }])),
        };
      },
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/form',
      summary: 'The inputs that it was started with, to make a form of',
      response: workflowFormSchema,
      handle: async ({ params }) => retryForm(await reader.readWhole(params['id'] ?? ''), env),
    }),
  ];
}
