import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { noProgress } from '../stop/conditions/no-progress.js';
import { stopOnTool } from '../stop/conditions/stop-on-tool.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { defineAgent } from './define-agent.js';
import { goal } from './options/goal.js';

const look = { execute: () => 'found' };
const broken = {
  execute: () => {
    throw new Error('no');
  },
};

describe('advice is followed literally: a resume', () => {
  it('after output_truncated takes a higher output limit, and refuses the same one', async () => {
    const caps: unknown[] = [];
    const model = scriptedModel([{ text: 'half of', error: 'length' }, { text: 'all of it' }]);
    const hooks = { beforeModel: () => undefined };
    const watched = {
      ...model,
      doGenerate: (call: Parameters<typeof model.doGenerate>[0]) => {
        caps.push(call.maxOutputTokens);
        return model.doGenerate(call);
      },
    };
    const agent = defineAgent({ model: watched, settings: { maxOutputTokens: 100 }, hooks });
    const engine = memoryEngine();
    const first = await agent.run('go', { engine, runId: 'r' });
    expect(first.termination).toEqual({ kind: 'output_truncated', reason: 'length', cap: 100 });
    expect(first.nextAction).toBe('Resume with a higher output limit, or ask for a shorter answer.');
    await expect(agent.resume('r', { engine })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const same = { engine, settings: { maxOutputTokens: 100 } };
    await expect(agent.resume('r', same)).rejects.toThrow('settings: { maxOutputTokens: … } above 100');
    const second = await agent.resume('r', { engine, settings: { maxOutputTokens: 400 } });
    expect(second.termination).toMatchObject({ kind: 'natural_end' });
    expect(caps).toEqual([100, 400]);
  });

  it('after output_truncated asks for a shorter answer', async () => {
    const model = scriptedModel([{ text: 'half of', error: 'length' }, { text: 'short' }]);
    const first = await defineAgent({ model, settings: { maxOutputTokens: 100 } }).run('go');
    const second = await first.resume({ guidance: 'Answer in one word.' });
    expect(second.text).toBe('short');
  });

  it('after structured_output_exhausted takes more repairs, and refuses as many', async () => {
    const model = scriptedModel([{ text: '{}' }, { text: '{}' }, { text: '{}' }, { text: '{"n":1}' }]);
    const agent = defineAgent({ model, output: z.object({ n: z.number() }), repair: 1 });
    const first = await agent.run('go');
    expect(first.termination).toMatchObject({ kind: 'structured_output_exhausted', attempts: 2 });
    await expect(first.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED', details: { option: 'repair' } });
    await expect(first.resume({ repair: 1 })).rejects.toThrow('repair: … above 1');
    const second = await first.resume({ repair: 4 });
    expect(second.termination.kind).toBe('natural_end');
    expect(second.output).toEqual({ n: 1 });
  });

  it('reaches the agent inside a stage', async () => {
    const model = scriptedModel([{ text: 'half of', error: 'length' }, { text: 'all of it' }]);
    const agent = defineAgent({ name: 'writer', model, settings: { maxOutputTokens: 100 } });
    const first = await pipeline('p')
      .stage(
        'write',
        using(agent, () => 'go'),
        { limits: { tokens: 10_000 } },
      )
      .run();
    await expect(first.resume()).rejects.toMatchObject({
      code: 'LIMIT_UNCHANGED',
      details: { option: 'settings.maxOutputTokens', used: 100 },
    });
    await expect(first.resume({ settings: { maxOutputTokens: 100 } })).rejects.toThrow(
      'The stage write would end the same',
    );
    const second = await first.resume({ settings: { maxOutputTokens: 400 } });
    expect(second.output).toBe('all of it');
  });

  it('refuses as many repairs for the agent inside a stage, unless it is told something', async () => {
    const model = scriptedModel([{ text: '{}' }, { text: '{}' }, { text: '{"n":1}' }]);
    const agent = defineAgent({ name: 'writer', model, output: z.object({ n: z.number() }), repair: 1 });
    const first = await pipeline('p')
      .stage(
        'write',
        using(agent, () => 'go'),
      )
      .run();
    await expect(first.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED', details: { option: 'repair' } });
    await expect(first.resume({ repair: 1 })).rejects.toThrow('repair: … above 1');
    const second = await first.resume({ guidance: 'n is a number' });
    expect(second.output).toEqual({ n: 1 });
  });

  it('refuses settings that mean nothing', async () => {
    const model = scriptedModel([{ text: 'half of', error: 'length' }]);
    const first = await defineAgent({ model, settings: { maxOutputTokens: 5 } }).run('go');
    const wrong = first.resume({ settings: { maxTokens: 5 } as never });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(first.resume({ repair: 0 })).rejects.toMatchObject({ code: 'INVALID_LIMIT' });
  });
});

describe('conditions that can never fire are refused', () => {
  const model = scriptedModel([{ text: 'x' }]);

  it('a tool that is not there', () => {
    const define = () => defineAgent({ model, tools: { look }, stopWhen: [stopOnTool('loook')] });
    expect(define).toThrow('stopOnTool names "loook", which is no tool of the agent (did you mean "look"?)');
    expect(() => defineAgent({ model, stopWhen: [stopOnTool('look')] })).toThrow('it has none');
  });

  it('pressure without a budget, on a resume too', async () => {
    expect(() => defineAgent({ model, stopWhen: [budgetPressure(0.8)] })).toThrow('budgetPressure needs a budget');
    const stopWhen = [maxIterations(1)];
    const first = await defineAgent({
      model: scriptedModel([{ toolCalls: [{ tool: 'look' }] }]),
      tools: { look },
      stopWhen,
    }).run('go');
    const resumed = first.resume({ stopWhen: [maxIterations(5), budgetPressure(0.8)] as never });
    await expect(resumed).rejects.toThrow('budgetPressure needs a budget');
    expect(() => defineAgent({ model, stopWhen: [budgetPressure(0.8), tokenBudget({ total: 10 })] })).not.toThrow();
  });
});

describe('calls are counted as they were made', () => {
  it('stopOnTool counts a call that failed, unless only success counts', async () => {
    const script = [{ toolCalls: [{ tool: 'broken' }] }, { text: 'done' }];
    const run = (options?: { succeeded: boolean }) =>
      defineAgent({
        model: scriptedModel(script),
        tools: { broken },
        stopWhen: [stopOnTool('broken', options)],
      }).run('go');
    expect((await run()).termination).toEqual({ kind: 'tool_called', tool: 'broken' });
    expect((await run({ succeeded: true })).termination.kind).toBe('natural_end');
  });

  it('maxToolCalls cuts a batch at the limit, and the model reads which calls were not made', async () => {
    let made = 0;
    const count = { execute: () => (made += 1) };
    const toolCalls = Array.from({ length: 5 }, () => ({ tool: 'count' }));
    const model = scriptedModel([{ toolCalls }, { text: 'done' }]);
    const agent = defineAgent({ model, tools: { count }, stopWhen: [maxToolCalls(3)] });
    const first = await agent.run('go');
    expect(made).toBe(3);
    expect(first.termination).toEqual({ kind: 'max_tool_calls', limit: 3, used: 3 });
    expect(first.toolCalls.filter(({ error }) => error?.code === 'NOT_MADE')).toHaveLength(2);
    const second = await first.resume({ stopWhen: [maxToolCalls(9)] });
    expect(second.termination.kind).toBe('natural_end');
    const results = second.messages.find(({ role }) => role === 'tool');
    expect(JSON.stringify(results)).toContain('This call was not made: the run may make 3 tool calls in all.');
  });

  it('no_progress shows the calls with their results', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'look' }] }], { exhausted: 'repeat-last' });
    const { termination } = await defineAgent({ model, tools: { look }, stopWhen: [noProgress(2)] }).run('go');
    expect(termination).toMatchObject({ snapshot: { lastCalls: [{ tool: 'look', result: 'found' }] } });
  });

  it('a goal says where it was checked', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'look' }] }]);
    const reached = goal(() => true, { check: 'tool_rounds' });
    const { termination } = await defineAgent({ model, tools: { look }, goal: reached }).run('go');
    expect(termination).toEqual({ kind: 'completed', check: 'tool_rounds' });
  });
});
