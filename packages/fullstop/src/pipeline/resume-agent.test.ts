import { describe, expect, it } from 'vitest';
import type { Agent } from '../agent/agent.js';
import { defineAgent } from '../agent/define-agent.js';
import { handOff } from '../agent/tools/hand-off.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import type { StopCondition } from '../stop/condition.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { stopOnTool } from '../stop/conditions/stop-on-tool.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import type { AnyTermination } from '../termination/kinds.js';
import { rootCause } from '../termination/root-cause.js';
import { fallback, retry, timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import type { Pipeline } from './pipeline-definition.js';

type AnyAgent = Agent<AnyTermination, string | undefined>;

const tool = { inputSchema: { type: 'object' }, execute: () => 'done' };
const call = (name: string): ScriptAnswer => ({ toolCalls: [{ tool: name, input: {} }] });
const limit = { kind: 'max_iterations', limit: 1 };

describe('a resume of a pipeline that ended in an agent', () => {
  it('refuses conditions that can never fire there', async () => {
    const model = scriptedModel([call('find'), call('find')]);
    const agent = defineAgent({ name: 'a', model, tools: { find: tool }, stopWhen: [maxIterations(1)] });
    const flow = pipeline('p').stage(
      'work',
      using(agent, () => 'go'),
    );
    const stopped = await flow.run();
    expect(rootCause(stopped.termination)).toMatchObject(limit);
    const refused = { code: 'INVALID_OPTION', message: expect.stringContaining('could never end the run') };
    const raised = maxIterations(3);
    for (const idle of [stopOnTool('nope'), budgetPressure(0.5)])
      for (const at of [{}, { at: 'work' }])
        await expect(stopped.resume({ stopWhen: [raised, idle], ...at })).rejects.toMatchObject(refused);
    const done = await stopped.resume({ stopWhen: [raised, stopOnTool('find')] });
    expect(done.stage('work').termination).toMatchObject({ kind: 'tool_called', tool: 'find' });
  });

  it('is for the agent that took over, and holds its limits against it', async () => {
    const model = scriptedModel({ triage: [call('billing')], billing: [call('find'), { text: 'paid' }] });
    const billing = defineAgent({ name: 'billing', model, tools: { find: tool }, stopWhen: [maxIterations(1)] });
    const triage = defineAgent({ name: 'triage', model, tools: { billing: handOff(billing) } });
    const flow = pipeline('p').stage(
      'work',
      using(triage, () => 'go'),
    );
    const stopped = await flow.run();
    expect(rootCause(stopped.termination)).toMatchObject(limit);
    await expect(stopped.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    await expect(stopped.resume({ stopWhen: [stopOnTool('billing')] })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(await stopped.resume({ stopWhen: [maxIterations(4)] })).toMatchObject({ output: 'paid' });
  });

  const inside = (agent: AnyAgent) => using(agent, () => 'go');
  const ways: Readonly<Record<string, (agent: AnyAgent) => Pick<Pipeline<undefined, object, unknown>, 'run'>>> = {
    retry: (agent) => pipeline('p').stage('s', retry(inside(agent))),
    timeout: (agent) => pipeline('p').stage('s', timeout(inside(agent), '1m')),
    'what may fall back': (agent) =>
      pipeline('p').stage(
        's',
        fallback(inside(agent), () => 'other', { when: () => false }),
      ),
    'what was fallen back to': (agent) =>
      pipeline('p').stage(
        's',
        fallback(() => JSON.parse('?') as string, inside(agent)),
      ),
    'several of them and a limit': (agent) =>
      pipeline('p').stage('s', timeout(retry(inside(agent)), '1m'), { limits: { tokens: 100_000 } }),
    'a pipeline inside': (agent) =>
      pipeline('p').stage(
        'q',
        using(pipeline('inner').stage('s', inside(agent)), () => undefined),
      ),
    'a phase of a pipeline inside': (agent) =>
      pipeline('p').stage(
        'q',
        using(
          pipeline('inner').phase('f', (phase) => phase.stage('s', inside(agent))),
          () => undefined,
        ),
      ),
  };

  it.each(Object.entries(ways))('holds its limits against it under %s, and reaches it there', async (_, flowOf) => {
    const model = scriptedModel([call('find'), call('find'), { text: 'found' }]);
    const agent = defineAgent({ name: 'a', model, tools: { find: tool }, stopWhen: [maxIterations(1)] });
    const stopped = await flowOf(agent).run();
    expect(rootCause(stopped.termination)).toMatchObject(limit);
    for (const options of [{}, { stopWhen: [maxIterations(1)] }, { settings: { maxOutputTokens: 100 } }])
      await expect(stopped.resume(options)).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const idle = { stopWhen: [maxIterations(3), stopOnTool('nope')] };
    await expect(stopped.resume(idle)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect((await stopped.resume({ stopWhen: [maxIterations(3)] })).output).toBe('found');
  });

  const usage = { inputTokens: 10, outputTokens: 10 };
  const spending = (
    stopWhen: readonly StopCondition<'token_budget' | 'max_iterations'>[],
    limits?: { tokens: number },
  ) => {
    const answers = [
      { ...call('find'), usage },
      { ...call('find'), usage },
      { text: 'found', usage },
    ];
    const agent = defineAgent({ name: 'a', model: scriptedModel(answers), tools: { find: tool }, stopWhen });
    return pipeline('p').stage('work', inside(agent as unknown as AnyAgent), limits && { limits });
  };
  const useless = [{}, { guidance: 'be quick' }, { stopWhen: [maxIterations(50)] }];

  it('asks for a larger budget of the agent where that was used up, and not for limits of the stage', async () => {
    const stopped = await spending([tokenBudget({ total: 15 })]).run();
    expect(rootCause(stopped.termination)).toEqual({ kind: 'token_budget', limit: 15, used: 20 });
    const message = 'The stage work would stop at once: resume it with stopWhen: [tokenBudget({ total: … })] above 20.';
    for (const options of [...useless, { limits: { tokens: 500 } }, { stopWhen: [tokenBudget({ total: 20 })] }])
      await expect(stopped.resume(options)).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED', message });
    expect((await stopped.resume({ stopWhen: [tokenBudget({ total: 500 })] })).output).toBe('found');
  });

  it('asks for larger limits where those of its stage were used up', async () => {
    for (const more of [{ limits: { tokens: 500 } }, { stopWhen: [tokenBudget({ total: 500 })] }]) {
      const stopped = await spending([maxIterations(9)], { tokens: 15 }).run();
      const message = 'The stage work would stop at once: resume it with limits: { tokens: … } above 20.';
      for (const options of [...useless.slice(1), { limits: { tokens: 20 }, guidance: 'be quick' }])
        await expect(stopped.resume(options)).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED', message });
      expect((await stopped.resume(more)).output).toBe('found');
    }
  });
});
