import {
  consecutiveErrors,
  costBudget,
  defineAgent,
  loopDetection,
  maxIterations,
  requireApproval,
  stopCondition,
  terminations,
} from 'fullstop';
import type { ScriptAnswer } from 'fullstop/testing';
import { z } from 'zod';
import { modelOf, pick, prices, type Scenario, type Stage, usageOf } from './scenario.js';

const lookUp = {
  description: 'Looks up an order',
  inputSchema: z.object({ order: z.string() }),
  execute: async ({ order }: { order: string }) => ({ order, total: 184.9, currency: 'EUR', delivered: '2026-10-28' }),
};
const unreachable = {
  ...lookUp,
  execute: async () => {
    throw new Error('orders.internal refused the connection');
  },
};
const searchDocs = {
  description: 'Searches the handbook',
  inputSchema: z.object({ query: z.string() }),
  execute: async () => ({ found: 0, results: [] }),
};
const refund = {
  description: 'Pays money back',
  inputSchema: z.object({ order: z.string(), amount: z.number(), reason: z.string() }),
  execute: async ({ amount }: { amount: number }) => ({ paid: amount }),
};

interface SupportChanges {
  readonly broken?: boolean;
  readonly model?: string;
}

/** A support agent as someone would write one: tools, an approval with a deadline, limits and detectors. */
function support(stage: Stage, answers: readonly ScriptAnswer[], { broken = false, model }: SupportChanges = {}) {
  return defineAgent({
    name: 'support-agent',
    model: modelOf(stage, answers, model),
    tools: {
      look_up_order: broken ? unreachable : lookUp,
      search_docs: searchDocs,
      refund: requireApproval(refund, { deadline: '6h' }),
    },
    stopWhen: [
      maxIterations(8),
      costBudget({ usd: 0.4 }),
      loopDetection({ repeats: 3 }),
      consecutiveErrors(3),
      stopCondition('escalation', ({ iterations }) =>
        model === 'angry' && iterations >= 2
          ? terminations.custom({ reason: 'The customer asked for a person.', category: 'fatal', tag: 'escalated' })
          : undefined,
      ),
    ],
    customTags: ['escalated'],
    prices: { ...prices, angry: prices['gpt-5-mini'], 'house-model': { inputPerMillion: 0.4, outputPerMillion: 1.6 } },
    allowUnknownPrices: true,
    retry: { attempts: 2, initialDelayMs: 500 },
  });
}

function orderOf(stage: Stage): string {
  return `A-${4100 + stage.below(800)}`;
}

function run(stage: Stage, answers: readonly ScriptAnswer[], changes: SupportChanges = {}): Promise<unknown> {
  const { engine, clock, runId } = stage;
  return support(stage, answers, changes).run(`A customer asks about order ${orderOf(stage)}.`, {
    engine,
    clock,
    runId,
  });
}

const call = (stage: Stage): ScriptAnswer => ({
  toolCalls: [{ tool: 'look_up_order', input: { order: orderOf(stage) } }],
});

export const supportScenarios: readonly Scenario[] = [
  {
    name: 'support: answered',
    weight: 60,
    perform: (stage) =>
      run(stage, [
        ...Array.from({ length: 1 + stage.below(4) }, () => call(stage)),
        { text: 'It arrives on Thursday.' },
      ]),
  },
  {
    name: 'support: a refund waits for approval',
    weight: 3,
    perform: (stage) => {
      const input = {
        order: orderOf(stage),
        amount: 20 + stage.below(300),
        reason: pick(stage, ['arrived damaged', 'late by 12 days', 'ordered twice']),
      };
      return run(stage, [
        call(stage),
        { toolCalls: [{ tool: 'refund', input, id: `refund_${stage.below(9000) + 1000}` }] },
      ]);
    },
  },
  {
    name: 'support: circles',
    weight: 5,
    perform: (stage) =>
      run(stage, [
        call(stage),
        { toolCalls: [{ tool: 'search_docs', input: { query: 'return policy electronics' } }] },
      ]),
  },
  {
    name: 'support: too many iterations',
    weight: 7,
    perform: (stage) =>
      run(
        stage,
        Array.from({ length: 12 }, () => call(stage)),
      ),
  },
  {
    name: 'support: too expensive',
    weight: 4,
    perform: (stage) =>
      run(
        stage,
        Array.from({ length: 9 }, () => ({ ...call(stage), usage: usageOf(stage, 4) })),
        { model: 'gpt-5' },
      ),
  },
  {
    name: 'support: the order service is down',
    weight: 4,
    perform: (stage) =>
      run(
        stage,
        Array.from({ length: 5 }, () => call(stage)),
        { broken: true },
      ),
  },
  {
    name: 'support: the provider is down',
    weight: 5,
    perform: (stage) => run(stage, [call(stage), { error: { status: 503, retryAfter: '30s' } }]),
  },
  { name: 'support: escalated', weight: 2, perform: (stage) => run(stage, [call(stage)], { model: 'angry' }) },
];
