import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { costBudget } from '../../stop/conditions/cost-budget.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { defineAgent } from '../define-agent.js';
import { agentAsTool } from '../tools/agent-as-tool.js';
import { handOff } from '../tools/hand-off.js';

const prices = { scripted: { inputPerMillion: 1000, outputPerMillion: 1 } };
const usage = { inputTokens: 100, outputTokens: 0 };
const stopWhen = [costBudget({ usd: 0.06 })];

function helperWith(options: { prices?: typeof prices; allowUnknownPrices?: boolean; tools?: object }) {
  const model = scriptedModel([{ text: 'helped', usage }], { exhausted: 'repeat-last' });
  return defineAgent({ name: 'helper', model, ...options } as { name: string; model: typeof model });
}

/** An agent with prices that asks or hands over to another one. */
function parentWith(tool: object, options: object = {}) {
  const model = scriptedModel([{ toolCalls: [{ tool: 'helper', input: { prompt: 'go' } }] }, { text: 'done', usage }]);
  const all = { name: 'parent', model, prices, tools: { helper: tool }, stopWhen, ...options };
  return defineAgent(all as { name: string; model: typeof model });
}

const unknown = expect.objectContaining({
  code: 'UNKNOWN_PRICE',
  message:
    'There is a cost budget of $0.06, but no price for "scripted/scripted", which the agent "helper" inside asks. Give that agent one: prices: { "scripted/scripted": { inputPerMillion, outputPerMillion } }, or allow unknown prices.',
});

describe('a cost budget over an agent inside whose model has no price', () => {
  const places: readonly (readonly [string, (helper: ReturnType<typeof helperWith>) => object])[] = [
    ['as a tool', (helper) => agentAsTool(helper)],
    ['as a tool with options of its own', (helper) => ({ ...agentAsTool(helper), description: 'Helps.' })],
    ['as a run of its own', (helper) => agentAsTool(helper, { spawn: 'queue' })],
    ['to hand over to', (helper) => handOff(helper)],
    ['two agents deep', (helper) => agentAsTool(helperWith({ prices, tools: { inner: agentAsTool(helper) } }))],
  ];

  it.each(places)('is refused before the start: %s', (_, place) => {
    expect(() => parentWith(place(helperWith({})))).toThrow(unknown);
  });

  it.each(places)('stands where that is allowed, there or here: %s', (_, place) => {
    expect(() => parentWith(place(helperWith({ allowUnknownPrices: true })))).not.toThrow();
    expect(() => parentWith(place(helperWith({})), { allowUnknownPrices: true })).not.toThrow();
  });

  it.each(places)('stands where the agent inside has prices of its own: %s', (_, place) => {
    expect(() => parentWith(place(helperWith({ prices })))).not.toThrow();
  });

  it('is refused when a resume brings it along', async () => {
    const engine = memoryEngine();
    const agent = parentWith(agentAsTool(helperWith({})), { stopWhen: [maxIterations(1)] });
    const ended = await agent.run('go', { engine, runId: 'r' });
    expect(ended.termination.kind).toBe('max_iterations');
    await expect(agent.resume('r', { engine, stopWhen: [...stopWhen, maxIterations(5)] })).rejects.toEqual(unknown);
    const more = await agent.resume('r', { engine, stopWhen: [maxIterations(5)] });
    expect(more.termination).toEqual({ kind: 'natural_end' });
  });

  it('refuses a model of unknown price that a step inside is prepared with', async () => {
    const model = { ...scriptedModel([{ text: 'helped', usage }]), provider: 'acme', modelId: 'tiny' };
    const helper = defineAgent({
      name: 'helper',
      model: scriptedModel([{ text: '' }]),
      prices,
      prepareStep: () => ({ model }),
    });
    const result = await parentWith(agentAsTool(helper)).run('go');
    expect(result.children).toMatchObject([{ termination: { kind: 'failed', error: { code: 'UNKNOWN_PRICE' } } }]);
  });
});
