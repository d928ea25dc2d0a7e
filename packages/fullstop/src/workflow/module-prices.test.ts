import { describe, expect, it } from 'vitest';
import type { Agent } from '../agent/agent.js';
import { defineAgent } from '../agent/define-agent.js';
import type { AnyAgentOptions } from '../agent/options/agent-options.js';
import { agentAsTool } from '../agent/tools/agent-as-tool.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import { rootCause } from '../termination/root-cause.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { runText, workflowFrom } from './workflow.fixture.js';

const text = (mode = 'enforce'): string => `
workflow: {name: w, entry_point: m, limits: {budget_usd: 0.5, budget_mode: ${mode}}}
agents: [{name: m, type: pipeline, use: "./unit.mjs#work"}]
output: {v: "{{ m.output }}"}
`;
const usage = { inputTokens: 1000, outputTokens: 0 };
const prices = { tiny: { inputPerMillion: 10, outputPerMillion: 20 } };

/** A model of a provider whose prices nobody knows, and how often it was asked. */
function unpriced(provider = 'acme') {
  let calls = 0;
  const answers = [
    { toolCalls: [{ tool: 'other', input: { input: 'go' } }], usage },
    { text: 'done', usage },
  ];
  const onCall = (): void => {
    calls += 1;
  };
  const script = scriptedModel(answers, { exhausted: 'repeat-last', onCall });
  return { model: { ...script, provider, modelId: 'tiny' }, calls: () => calls };
}

function agentWith(options: Partial<AnyAgentOptions>): Agent {
  return defineAgent({ name: 'agent', ...options } as AnyAgentOptions) as unknown as Agent;
}

function stageOf(agent: Agent) {
  const work = using(agent, () => 'go');
  return pipeline('work').stage('ask', work);
}

const runWith = (work: unknown, { source = text(), ...options }: { source?: string } & Parameters<typeof runText>[1]) =>
  runText(source, { files: { 'unit.mjs': '' }, importModule: async () => ({ work }), ...options });

const free = () =>
  scriptedModel([{ toolCalls: [{ tool: 'other', input: { input: 'go' } }] }, { text: 'done' }], {
    exhausted: 'repeat-last',
  });
const schema = { type: 'object', properties: { input: { type: 'string' } } } as const;
const other = { inputSchema: schema, execute: () => 'there' };

describe('an agent of a module whose model has no price, under an enforced budget,', () => {
  type Made = (asked: ReturnType<typeof unpriced>['model']) => unknown;
  const places: readonly { readonly where: string; readonly work: Made }[] = [
    { where: 'in a stage', work: (model) => stageOf(agentWith({ model })) },
    {
      where: 'as the step itself',
      work: (model) => ({ ...agentWith({ model }), within: withinOf(agentWith({ model })) }),
    },
    {
      where: 'with another model before it',
      work: (model) => stageOf(agentWith({ model: free(), fallbackModels: [model] })),
    },
    {
      where: 'as a tool of another agent',
      work: (model) =>
        stageOf(agentWith({ model: free(), tools: { other: agentAsTool(agentWith({ model, name: 'other' }), {}) } })),
    },
    {
      where: 'that a step of another one is prepared with',
      work: (model) => stageOf(agentWith({ model: free(), tools: { other }, prepareStep: () => ({ model }) })),
    },
  ];

  it.each(places)('$where, is refused before it is asked anything, and says what to do', async ({ work }) => {
    const { model, calls } = unpriced();
    const result = await runWith(work(model), {});
    const [said] = /no price for [^ ]+/.exec(JSON.stringify(await result.journal())) ?? [];
    expect(said).toContain('acme/tiny');
    expect(calls()).toBe(0);
  });

  it('fails its step as what it is', async () => {
    const result = await runWith(stageOf(agentWith({ model: unpriced().model })), {});
    expect(rootCause(result.termination)).toMatchObject({
      kind: 'failed',
      errorClass: 'configuration',
      error: { code: 'UNKNOWN_PRICE' },
    });
  });

  it('in a sub-workflow, or where the workflow is a stage, is refused too', async () => {
    const { model, calls } = unpriced();
    const outer = `
workflow: {name: o, entry_point: c, limits: {budget_usd: 0.5, budget_mode: enforce}}
agents: [{name: c, type: workflow, workflow: child.yaml}]
`;
    const files = { 'unit.mjs': '', 'child.yaml': text('audit') };
    const inside = await runWith(stageOf(agentWith({ model })), { source: outer, files });
    expect(rootCause(inside.termination)).toMatchObject({ error: { code: 'UNKNOWN_PRICE' } });
    const importModule = async () => ({ work: stageOf(agentWith({ model })) });
    const work = using(workflowFrom(text(), { files, importModule }), () => ({}));
    const staged = await pipeline('p')
      .stage('w', work)
      .run(undefined, { engine: memoryEngine({ clock: simulatedClock() }) });
    expect(rootCause(staged.termination)).toMatchObject({ error: { code: 'UNKNOWN_PRICE' } });
    expect(calls()).toBe(0);
  });

  it.each([
    ['its code gives it one', { prices }, {}],
    ['its code allows that', { allowUnknownPrices: true }, {}],
    ['the run allows that', {}, { allowUnknownPrices: true }],
    ['the budget is only watched', {}, { source: text('audit') }],
    ['the run is lenient', {}, { lenient: true }],
  ])('is asked where %s', async (_, own, options) => {
    const { model, calls } = unpriced();
    const work = stageOf(agentWith({ model, tools: { other }, ...own }));
    expect((await runWith(work, options)).outcome).toBe('succeeded');
    expect(calls()).toBe(2);
  });

  it('is asked where answers come from a script, which cost nothing', async () => {
    const { model, calls } = unpriced('scripted');
    expect((await runWith(stageOf(agentWith({ model, tools: { other } })), {})).outcome).toBe('succeeded');
    expect(calls()).toBe(2);
  });
});

function withinOf(agent: Agent) {
  return (context: Parameters<Agent['within']>[0]) => agent.within(context, 'go');
}
