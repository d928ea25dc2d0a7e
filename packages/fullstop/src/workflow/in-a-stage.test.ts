import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import type { PipelineResumeOptions } from '../pipeline/pipeline-definition.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { rootCause } from '../termination/root-cause.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { isAlive, workflowFrom } from './workflow.fixture.js';
import type { LoadWorkflowOptions } from './workflow.js';

type Policy = Parameters<ReturnType<typeof pipeline>['stage']>[2];

const engineOnly = () => memoryEngine({ clock: simulatedClock() });
const done = { kind: 'flow_completed', last: 'w' };

describe('an enforced budget of a workflow in a stage', () => {
  const pricing = 'cost: {pricing: {tiny: {input_per_mtok: 10, output_per_mtok: 20}}}';
  const text = `
workflow: {name: w, entry_point: m, limits: {budget_usd: 0.03, budget_mode: enforce}, ${pricing}}
tools: [again]
agents:
  - {name: m, model: tiny, prompt: spend, tools: [again], routes: [{to: z}]}
  - {name: z, type: set, value: after}
output: {v: "{{ z.output }}"}
`;
  /** Each answer costs two cents. */
  const usage = { inputTokens: 2000, outputTokens: 0 };
  const calling = { toolCalls: [{ tool: 'again', input: {} }], usage };
  const reached = { kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 };

  function flowWith(policy: Policy = {}, options: LoadWorkflowOptions & { readonly text?: string } = {}) {
    const model = scriptedModel({ m: [...Array(6).fill(calling), { text: 'done', usage }] });
    const tools = { again: { description: 'again', execute: () => 'once more' } };
    const { text: source = text, ...rest } = options;
    const work = workflowFrom(source, { model, tools, ...rest });
    return pipeline('p').stage(
      'w',
      using(work, () => ({})),
      policy,
    );
  }

  it.each([false, true])(
    'ends its agent at the next call, and a resume with a larger one continues there (alwaysReplay: %s)',
    async (alwaysReplay) => {
      const first = await flowWith().run(undefined, { engine: engineOnly(), alwaysReplay });
      expect(first.termination).toEqual({
        kind: 'child_failed',
        child: { name: 'w', path: 'w' },
        termination: reached,
      });
      expect(first.stage('w').termination).toEqual(reached);
      const unchanged = { code: 'LIMIT_UNCHANGED', message: expect.stringContaining('limits: { costUsd: … } above') };
      await expect(first.resume()).rejects.toMatchObject(unchanged);
      await expect(first.resume({ limits: { costUsd: 0.04 } })).rejects.toMatchObject(unchanged);
      const second = await first.resume({ limits: { costUsd: 0.07 } });
      expect(second.stage('w').termination).toEqual({ kind: 'cost_budget', limitUsd: 0.07, usedUsd: 0.08 });
      const third = await second.resume({ limits: { costUsd: 1 } });
      expect(third).toMatchObject({ termination: done, output: { v: 'after' }, costUsd: 0.14 });
    },
  );

  it('can be taken away by a resume', async () => {
    const first = await flowWith().run(undefined, { engine: engineOnly() });
    expect(await first.resume({ limits: { costUsd: null } })).toMatchObject({ termination: done, costUsd: 0.14 });
  });

  it('leaves the say to the callbacks of its stage', async () => {
    const asked: unknown[] = [];
    const flow = flowWith({
      onCompleted: ({ outcome, termination }) => {
        asked.push([outcome, termination]);
        return undefined;
      },
    });
    const first = await flow.run(undefined, { engine: engineOnly() });
    expect(first.stage('w').termination).toEqual(reached);
    expect((await first.resume({ limits: { costUsd: 1 } })).termination).toEqual(done);
    expect(asked).toEqual([
      ['failed', reached],
      ['succeeded', { kind: 'flow_completed', last: 'z' }],
    ]);
  });

  it('notifies its hook once it is used up, as the end of a step by itself does', async () => {
    const told: string[] = [];
    const hooked = text.replace('name: w,', 'name: w, hooks: {on_error: "{{ error.type }} {{ ending.kind }}"},');
    const onHook = ({ text: said }: { readonly text: string }): void => void told.push(said);
    const result = await flowWith({}, { text: hooked, onHook }).run(undefined, { engine: engineOnly() });
    expect(result.stage('w').termination).toEqual(reached);
    expect(told).toEqual(['BudgetExceededError cost_budget']);
  });

  it('is never more than what its stage may use', async () => {
    const first = await flowWith({ limits: { costUsd: 0.01 } }).run(undefined, { engine: engineOnly() });
    expect(first.stage('w').termination).toMatchObject({ kind: 'cost_budget', limitUsd: 0.01, usedUsd: 0.02 });
  });

  it('is looked at between steps where the workflow is lenient', async () => {
    const { stages, costUsd } = await flowWith({}, { lenient: true }).run(undefined, { engine: engineOnly() });
    expect(stages).toMatchObject([{ termination: { kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.14 } }]);
    expect(costUsd).toBe(0.14);
  });
});

describe('the steps of a workflow in a stage', () => {
  it('are not those that its stage may take, which have a limit of their own', async () => {
    const text = `
workflow: {name: w, entry_point: m}
tools: [again]
agents: [{name: m, prompt: go, tools: [again]}]
`;
    const model = scriptedModel({ m: [{ toolCalls: [{ tool: 'again', input: {} }] }, { text: 'done' }] });
    const tools = { again: { description: 'again', execute: () => 'once more' } };
    const work = using(workflowFrom(text, { model, tools }), () => ({}));
    const flow = pipeline('p').stage('w', work, { limits: { steps: 2 } });
    const first = await flow.run(undefined, { engine: engineOnly() });
    expect(rootCause(first.termination)).toMatchObject({ kind: 'max_iterations', limit: 2, unit: 'step' });
    const unchanged = { code: 'LIMIT_UNCHANGED', message: expect.stringContaining('limits: { steps: … } above 2') };
    await expect(first.resume()).rejects.toMatchObject(unchanged);
    expect((await first.resume({ limits: { steps: 50 } })).termination).toEqual(done);
  });

  const steps = (limit: number, name = 'w') => `
workflow: {name: ${name}, entry_point: a, limits: {max_iterations: ${limit}}}
agents:
  - {name: a, type: set, value: one, routes: [{to: b}]}
  - {name: b, type: set, value: two, routes: [{to: c}]}
  - {name: c, type: set, value: three}
output: {v: "{{ c.output }}"}
`;
  const around = `
workflow: {name: w, entry_point: s}
agents: [{name: s, type: workflow, workflow: child.yaml}]
output: {v: "{{ s.output.v }}"}
`;
  const flowOf = (text: string, files = {}) =>
    pipeline('p').stage(
      'w',
      using(workflowFrom(text, { files }), () => ({})),
    );
  const unchanged = {
    code: 'LIMIT_UNCHANGED',
    message: expect.stringContaining('resume it with stopWhen: [maxIterations(…)] above 2.'),
  };
  const useless: readonly Omit<PipelineResumeOptions, 'engine'>[] = [
    {},
    { stopWhen: [maxIterations(2)] },
    { limits: { steps: 50 } },
    { without: ['maxIterations'] },
  ];

  it('are counted on with what a resume allows, and one that allows no more is refused', async () => {
    for (const [text, files] of [
      [steps(2), {}],
      [around, { 'child.yaml': steps(2, 'child') }],
    ] as const) {
      const first = await flowOf(text, files).run(undefined, { engine: engineOnly() });
      expect(rootCause(first.termination)).toEqual({ kind: 'max_iterations', limit: 2, used: 2, unit: 'step' });
      for (const options of useless) await expect(first.resume(options)).rejects.toMatchObject(unchanged);
      const second = await first.resume({ stopWhen: [maxIterations(9)] });
      expect(second).toMatchObject({ termination: done, output: { v: 'three' } });
    }
  });
});

describe('the time of a workflow in a stage', () => {
  const server = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const server = new McpServer({ name: 'calc', version: '1' });
server.registerTool('pid', {}, async () => ({ content: [{ type: 'text', text: 'runs as ' + process.pid }] }));
await server.connect(new StdioServerTransport());
`;
  // Beside the packages of the project, so that the SDK is found.
  const file = join(import.meta.dirname, `../../../../node_modules/.fullstop-mcp-stage-${process.pid}.mjs`);
  beforeAll(() => writeFileSync(file, server));
  afterAll(() => rmSync(file));

  it('that is up ends the servers that it started, and notifies its hook', async () => {
    const told: string[] = [];
    const model = scriptedModel({ m: [{ toolCalls: [{ tool: 'calc__pid', input: {} }] }, { text: 'known' }] });
    const text = `
workflow:
  name: w
  entry_point: m
  limits: {timeout_seconds: 30}
  hooks: {on_error: "{{ error.type }} after {{ m.output.result }}"}
  runtime: {mcp_servers: {calc: {command: ${process.execPath}, args: [${JSON.stringify(file)}]}}}
agents:
  - {name: m, prompt: go, routes: [{to: z}]}
  - {name: z, type: wait, duration: 60s}
`;
    const onHook = ({ text: said }: { readonly text: string }): void => void told.push(said);
    const work = using(workflowFrom(text, { model, onHook, mcp: true }), () => ({}));
    const clock = simulatedClock(undefined, { auto: false });
    const result = await pipeline('p')
      .stage('w', work)
      .run(undefined, {
        engine: memoryEngine({ clock }),
        onEntry: ({ type, key }) => {
          if (type === 'unit_ended' && key === 'm') void clock.advance(31_000);
        },
      });
    expect(result.stage('w').termination).toMatchObject({ kind: 'time_budget', limitMs: 30_000 });
    const pid = Number(/runs as (\d+)/.exec(JSON.stringify(await result.journal()))?.[1]);
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isAlive(pid)).toBe(false);
    await expect.poll(() => told).toEqual(['TimeoutError after known']);
  });
});
