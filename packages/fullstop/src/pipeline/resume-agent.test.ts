import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { handOff } from '../agent/tools/hand-off.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { stopOnTool } from '../stop/conditions/stop-on-tool.js';
import { rootCause } from '../termination/root-cause.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';

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
});
