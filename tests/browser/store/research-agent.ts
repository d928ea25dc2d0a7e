import { defineAgent, maxIterations, submitTool, timeout, tokenBudget } from 'fullstop';
import type { ScriptAnswer } from 'fullstop/testing';
import { z } from 'zod';
import { modelOf, pick, prices, type Scenario, type Stage, usageOf } from './scenario.js';

const topics = [
  'battery recycling',
  'harbour fees in Rotterdam',
  'CSRD deadlines',
  'rice futures',
  'alpine rail freight',
];

const browse = {
  description: 'Reads a page',
  inputSchema: z.object({ url: z.string() }),
  execute: async ({ url }: { url: string }) => `Contents of ${url}`,
};

function run(stage: Stage, answers: readonly ScriptAnswer[], modelId = 'gpt-5'): Promise<unknown> {
  const { engine, clock, runId } = stage;
  const agent = defineAgent({
    name: 'researcher',
    model: modelOf(stage, answers, modelId),
    tools: { browse, submit: submitTool({ schema: z.object({ title: z.string(), pages: z.number() }) }) },
    stopWhen: [maxIterations(20), tokenBudget({ total: 60_000 }), timeout({ run: 180_000, model: 90_000 })],
    prices,
    allowUnknownPrices: true,
    retry: { attempts: 1 },
  });
  return agent.run(`Write a brief about ${pick(stage, topics)}.`, { engine, clock, runId });
}

let page = 0;
const read = (stage: Stage, size = 1): ScriptAnswer => {
  page += 1;
  return {
    toolCalls: [{ tool: 'browse', input: { url: `https://example.org/${page % 97}` } }],
    usage: usageOf(stage, size),
  };
};

export const researchScenarios: readonly Scenario[] = [
  {
    name: 'research: submitted',
    weight: 30,
    perform: (stage) =>
      run(stage, [
        ...Array.from({ length: 1 + stage.below(4) }, () => read(stage)),
        { toolCalls: [{ tool: 'submit', input: { title: pick(stage, topics), pages: 2 + stage.below(9) } }] },
      ]),
  },
  {
    name: 'research: out of tokens',
    weight: 6,
    perform: (stage) =>
      run(
        stage,
        Array.from({ length: 20 }, () => read(stage, 3)),
      ),
  },
  {
    name: 'research: out of time',
    weight: 3,
    perform: (stage) =>
      run(
        stage,
        Array.from({ length: 20 }, () => ({ ...read(stage), delay: '31s' })),
      ),
  },
  {
    name: 'research: answer cut off',
    weight: 2,
    perform: (stage) => run(stage, [read(stage), { text: 'In the first quarter', error: 'length' }]),
  },
  {
    name: 'research: refused by a filter',
    weight: 2,
    perform: (stage) => run(stage, [read(stage), { text: 'I cannot help with that.', error: 'filter' }]),
  },
  { name: 'research: no key', weight: 2, perform: (stage) => run(stage, [{ error: 'auth' }]) },
  {
    name: 'research: a model of unknown price',
    weight: 3,
    perform: (stage) => run(stage, [read(stage), { text: 'The fees rise in May.' }], 'in-house-7b'),
  },
];
