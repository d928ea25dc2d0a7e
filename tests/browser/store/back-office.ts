import { defineAgent, defineRun, defineTermination, maxIterations, terminations } from 'fullstop';
import { defineConvergence, fact, gate, suggestor } from 'fullstop/convergence';
import { pipeline, using } from 'fullstop/pipeline';
import { z } from 'zod';
import { modelOf, pick, prices, type Scenario, type Stage } from './scenario.js';

const months = ['May', 'June', 'July', 'August', 'September', 'October'];

const reconciled = defineTermination({
  kind: 'billing.reconciled',
  schema: z.object({ findings: z.number().int().nonnegative() }),
  family: 'completion',
  category: 'success',
  describe: ({ findings }) => `The books were reconciled with ${findings} findings.`,
});

/** A pipeline whose second stage is an agent. */
function monthEnd(stage: Stage, rounds: number) {
  const compare = {
    inputSchema: z.object({ invoice: z.string() }),
    execute: async ({ invoice }: { invoice: string }) => `${invoice} differs`,
  };
  const reconciler = defineAgent({
    name: 'reconciler',
    model: modelOf(stage, [
      ...Array.from({ length: rounds }, (_, index) => ({
        toolCalls: [{ tool: 'compare', input: { invoice: `A-${index + 1}` } }],
      })),
      { text: 'A-2 was paid twice' },
    ]),
    tools: { compare },
    stopWhen: [maxIterations(4)],
    prices,
  });
  return pipeline('month-end', { input: z.object({ month: z.string() }) })
    .stage('collect', async ({ input }) => [`${input.month}/A-1`, `${input.month}/A-2`])
    .stage(
      'reconcile',
      using(reconciler, ({ collect }) => `Reconcile ${collect.output.join(' and ')}`),
    )
    .stage('report', ({ reconcile }) => reconcile.output);
}

function runMonthEnd(stage: Stage, rounds: number): Promise<unknown> {
  const { engine, clock, runId } = stage;
  return monthEnd(stage, rounds).run({ month: pick(stage, months) }, { engine, clock, runId });
}

const purchase = defineConvergence({
  name: 'purchase-approval',
  seed: ({ amount, vendor }: { readonly amount: number; readonly vendor: string }) => [
    fact('request', { amount, vendor }, { id: 'order' }),
  ],
  suggestors: [
    suggestor('risk scorer', {
      dependsOn: ['request'],
      execute: ({ facts, propose }) => {
        const vendor = facts.latest<{ vendor: string }>('request')?.payload.vendor;
        propose('risk', { score: vendor === 'ACME' ? 7 : 1 });
      },
    }),
    suggestor('approver', {
      dependsOn: ['risk'],
      execute: ({ facts, propose }) => {
        const score = facts.latest<{ score: number }>('risk')?.payload.score ?? 0;
        propose('decision', { approved: true, score }, { id: 'final', confidence: 1 - score / 10 });
      },
    }),
  ],
  gates: [gate({ key: 'decision', confidenceAtMost: 0.5, deadline: '2d', onExpiry: 'reject' })],
  budgets: { cycles: 20 },
});

const restless = defineConvergence({
  name: 'price-search',
  seed: () => [fact('price', { value: 1 }, { id: 'p0' })],
  suggestors: [
    suggestor('improver', {
      dependsOn: ['price'],
      execute: ({ facts, propose }) => {
        const value = facts.latest<{ value: number }>('price')?.payload.value ?? 0;
        propose('price', { value: value + 1 }, { id: `p${value}` });
      },
    }),
  ],
  budgets: { cycles: 12 },
});

const closeBooks = defineRun({
  name: 'close-books',
  terminations: [reconciled],
  run: async (context) => {
    const findings = await context.step('compare ledgers', () => 4);
    return reconciled({ findings });
  },
});

const importOrders = defineRun({
  name: 'import-orders',
  run: async (context) => {
    await context.step('read file', () => {
      throw new TypeError("Cannot read properties of undefined (reading 'lines')");
    });
    return terminations.flowCompleted({ last: 'read file' });
  },
});

/** Someone cancels it while it waits for its model. */
async function cancelled(stage: Stage): Promise<unknown> {
  const { engine, clock, runId } = stage;
  const abort = new AbortController();
  const agent = defineAgent({
    name: 'newsletter',
    model: modelOf(stage, [{ text: 'Dear reader', delay: '1h' }]),
    prices,
  });
  const done = agent.run('Write the newsletter.', { engine, clock, runId, signal: abort.signal });
  await clock.advance(12_000);
  abort.abort('the issue was postponed');
  return await done;
}

const runs = (definition: typeof closeBooks | typeof importOrders) => (stage: Stage) => {
  const { engine, clock, runId } = stage;
  return definition.run(undefined, { engine, clock, runId });
};

export const backOfficeScenarios: readonly Scenario[] = [
  { name: 'month-end: done', weight: 14, perform: (stage) => runMonthEnd(stage, 2) },
  { name: 'month-end: the agent reached its limit', weight: 4, perform: (stage) => runMonthEnd(stage, 9) },
  {
    name: 'purchase: converged',
    weight: 12,
    perform: (stage) => {
      const { engine, clock, runId } = stage;
      return purchase.run({ amount: 900 + stage.below(9000), vendor: 'Birch' }, { engine, clock, runId });
    },
  },
  {
    name: 'purchase: a person has to decide',
    weight: 2,
    perform: (stage) => {
      const { engine, clock, runId } = stage;
      return purchase.run({ amount: 9000 + stage.below(9000), vendor: 'ACME' }, { engine, clock, runId });
    },
  },
  {
    name: 'price search: too many cycles',
    weight: 3,
    perform: ({ engine, clock, runId }) => restless.run(undefined, { engine, clock, runId }),
  },
  { name: 'books: a kind of its own', weight: 5, perform: runs(closeBooks) },
  { name: 'import: an error of the program', weight: 4, perform: runs(importOrders) },
  { name: 'newsletter: cancelled', weight: 3, perform: cancelled },
];
