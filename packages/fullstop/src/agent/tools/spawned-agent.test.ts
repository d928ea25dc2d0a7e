import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { tokenBudget } from '../../stop/conditions/token-budget.js';
import { defineAgent } from '../define-agent.js';
import { agentAsTool } from './agent-as-tool.js';
import { requireApproval } from './tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const ask = { toolCalls: [{ tool: 'helper', input: { prompt: 'help' } }], usage };
const echo = { toolCalls: [{ tool: 'echo', input: {} }], usage };

describe('an agent that is spawned', () => {
  it('is a run of its own whose ending is whole in the result of the call', async () => {
    const model = scriptedModel({ outer: [ask, { text: 'done', usage }], helper: [{ text: 'helped', usage }] });
    const helper = defineAgent({ name: 'helper', model });
    const outer = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper, { spawn: 'queue' }) } });
    const engine = memoryEngine();
    const result = await outer.run('go', { engine });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.children).toMatchObject([
      { name: 'helper', termination: { kind: 'natural_end' }, text: 'helped', usage: { totalTokens: 20 } },
    ]);
    expect(result.usage.totalTokens).toBe(60);
    const { runs } = await engine.list({ parentRunId: result.runId });
    expect(runs).toMatchObject([{ name: 'helper', kind: 'natural_end' }]);
    expect(outer.spawns).toEqual([helper]);
  });

  it('is executed by a worker that was given only the agent around it', async () => {
    const model = scriptedModel({ outer: [ask, { text: 'done' }], helper: [{ text: 'helped' }] });
    const helper = defineAgent({ name: 'helper', model });
    const outer = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper, { spawn: 'queue' }) } });
    const engine = memoryEngine();
    const worker = engine.worker([outer]);
    await engine.start({ runId: 'kid', name: 'helper', version: '1', input: 'help' });
    expect((await engine.waitForEnding('kid', 1)).output).toBe('helped');
    await worker.stop();
  });

  it('asks people through the agent around it', async () => {
    const model = scriptedModel({ outer: [ask, { text: 'done' }], helper: [echo, { text: 'helped' }] });
    const tools = { echo: requireApproval({ execute: () => 'x' }) };
    const helper = defineAgent({ name: 'helper', model, tools });
    const outer = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper, { spawn: 'queue' }) } });
    const engine = memoryEngine();
    const paused = await outer.run('go', { engine, runId: 'root' });
    expect(paused.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ tool: 'echo' }] });
    const [request] = await engine.openRequests('root');
    const ended = await paused.resume({ answers: { [request?.id ?? '']: { decision: 'approve' } } });
    expect(ended).toMatchObject({ termination: { kind: 'natural_end' }, children: [{ text: 'helped' }] });
  });

  it('ends by its own limits, and the model around it reads that', async () => {
    const model = scriptedModel({ outer: [ask, { text: 'done' }], helper: [echo] }, { exhausted: 'repeat-last' });
    const tools = { echo: { execute: () => 'x' } };
    const helper = defineAgent({ name: 'helper', model, tools, stopWhen: [maxIterations(2)] });
    const outer = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper, { spawn: 'queue' }) } });
    const result = await outer.run('go', { engine: memoryEngine() });
    const limit = { kind: 'max_iterations', limit: 2, used: 2, unit: 'iteration' };
    expect(result.toolCalls[0]?.output).toMatchObject({ type: 'json', value: { termination: limit } });
  });

  it('may use what is left of the budget around it', async () => {
    const model = scriptedModel({ outer: [ask, { text: 'done' }], helper: [echo] }, { exhausted: 'repeat-last' });
    const helper = defineAgent({ name: 'helper', model, tools: { echo: { execute: () => 'x' } } });
    const stopWhen = [tokenBudget({ total: 100 })];
    const tools = { helper: agentAsTool(helper, { spawn: 'queue' }) };
    const outer = defineAgent({ name: 'outer', model, tools, stopWhen });
    const engine = memoryEngine();
    const result = await outer.run('go', { engine });
    expect(result.termination).toMatchObject({ kind: 'token_budget', limit: 100 });
    expect(result.usage.totalTokens).toBeLessThanOrEqual(120);
    const { runs } = await engine.list({ parentRunId: result.runId });
    expect(runs).toMatchObject([{ kind: 'token_budget' }]);
  });

  it('is refused where the option is none', () => {
    const helper = defineAgent({ name: 'helper', model: scriptedModel({ helper: [{ text: 'x' }] }) });
    expect(() => agentAsTool(helper, { spawn: 'thread' as never })).toThrow(/agentAsTool: spawn is "thread"/);
  });
});
