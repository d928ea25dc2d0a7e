import type { Engine } from 'fullstop/engine';
import { z } from 'zod';
import type { RunRecord } from '../../why/explain-run.js';
import { type ApiRoute, jsonRoute } from '../http/route.js';
import type { RecordReader } from '../reads/record-reader.js';
import { tryOnAll, whatIfAllSchema, whatIfBodySchema } from '../reads/what-if-all.js';
import { type Conversation, conversationOf } from '../view/conversation.js';
import { type FactsView, factsOf } from '../view/facts.js';
import { type Timeline, timelineOf } from '../view/timeline.js';
import { type WhatIfView, whatIfView } from '../view/what-if-view.js';

const whole = z.coerce.number().int();

const conversationQuerySchema = z.strictObject({
  path: z.string().max(2000).optional().describe('Only what was said in this unit.'),
  after: whole.nonnegative().optional().describe('Messages after this entry.'),
  limit: whole.min(1).max(500).optional().describe('200 unless given.'),
});

const timelineSchema = z.custom<Timeline>().meta({ id: 'Timeline', description: 'Bars, budgets and repeated calls.' });
const conversationSchema = z.custom<Conversation>().meta({ id: 'Conversation', description: 'Messages in order.' });
const factsSchema = z.custom<FactsView>().meta({ id: 'Facts', description: 'Cycles, facts, gates and rejections.' });
const whatIfSchema = z.custom<WhatIfView>().meta({
  id: 'WhatIf',
  description: 'Every limit that could have been, each value with the ending that it leads to.',
});

/** The routes of the tabs of one run, and of limits over many. */
export function runTabRoutes(engine: Engine, reader: RecordReader): readonly ApiRoute[] {
  const read = (params: Readonly<Record<string, string>>): Promise<RunRecord> => reader.readWhole(params['id'] ?? '');
  return [
    jsonRoute({
      method: 'get',
      path: '/runs/:id/timeline',
      summary: 'What a run did when, and how its budgets were used up',
      response: timelineSchema,
      handle: async ({ params }) => timelineOf(await read(params)),
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/conversation',
      summary: 'What was said in a run',
      query: conversationQuerySchema,
      response: conversationSchema,
      handle: async ({ params, query }) => conversationOf(await read(params), query),
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/facts',
      summary: 'The facts of the convergences in a run',
      response: factsSchema,
      handle: async ({ params }) => factsOf(await read(params)),
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/what-if',
      summary: 'The endings that other limits would have led to',
      response: whatIfSchema,
      handle: async ({ params }) => whatIfView(await read(params)),
    }),
    jsonRoute({
      method: 'post',
      path: '/what-if',
      summary: 'What limits would have done to the newest runs of a name; nothing is changed',
      changes: false,
      body: whatIfBodySchema,
      response: whatIfAllSchema,
      handle: ({ body }) => tryOnAll(engine, body),
    }),
  ];
}
