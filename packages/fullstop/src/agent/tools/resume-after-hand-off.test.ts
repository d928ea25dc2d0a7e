import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { budgetPressure } from '../../stop/conditions/budget-pressure.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../../stop/conditions/max-tool-calls.js';
import { stopOnTool } from '../../stop/conditions/stop-on-tool.js';
import { tokenBudget } from '../../stop/conditions/token-budget.js';
import type { AgentResult } from '../agent.js';
import { defineAgent } from '../define-agent.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { handOff } from './hand-off.js';

const tool = { inputSchema: { type: 'object' }, execute: () => 'done' };
const call = (name: string): ScriptAnswer => ({ toolCalls: [{ tool: name, input: {} }] });

/** A run whose second agent has ended. */
async function ended(answers: readonly ScriptAnswer[], billing: Partial<AnyAgentOptions>): Promise<AgentResult> {
  const model = scriptedModel({ triage: [call('billing')], billing: answers });
  const second = defineAgent({ name: 'billing', model, tools: { find: tool }, ...billing } as AnyAgentOptions);
  const tools = { billing: handOff(second as never, { description: 'For invoices' }), sort: tool };
  const triage = defineAgent({
    name: 'triage',
    model,
    tools,
    stopWhen: [maxIterations(9), tokenBudget({ total: 9e9 })],
  });
  return triage.run('A bill', { engine: memoryEngine(), runId: 'r' }) as unknown as Promise<AgentResult>;
}

const score = {
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no score' }] }) },
} as const;

describe('a resume of a run that was handed over', () => {
  it.each<[string, ScriptAnswer, Partial<AnyAgentOptions>]>([
    ['max_iterations', call('find'), { stopWhen: [maxIterations(1)] }],
    ['max_tool_calls', call('find'), { stopWhen: [maxToolCalls(1)] }],
    [
      'output_truncated',
      { text: 'An inv', error: 'length' },
      { settings: { maxOutputTokens: 10 }, raiseOutputCap: false },
    ],
    ['structured_output_exhausted', { text: '{}' }, { output: score, repair: 1 }],
  ])('is refused where the agent at work would end the same way: %s', async (kind, answer, options) => {
    const result = await ended([answer, answer, answer, answer], options);
    expect(result.termination.kind).toBe(kind);
    await expect(result.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED', details: { runId: 'r' } });
    expect((await result.journal()).filter(({ type }) => type === 'segment_opened')).toEqual([]);
  });

  it('is not refused where the limit is raised, again and again', async () => {
    const answers = [call('find'), call('find'), { text: 'paid' }];
    const first = await ended(answers, { stopWhen: [maxIterations(1)] });
    const second = await first.resume({ stopWhen: [maxIterations(2)] });
    await expect(second.resume({ stopWhen: [maxIterations(2)] })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    expect((await second.resume({ without: ['maxIterations'] })).text).toBe('paid');
  });

  it('refuses conditions that can never fire for the agent at work, whatever the first one has', async () => {
    const result = await ended([call('find'), call('find')], { stopWhen: [maxIterations(1)] });
    const raised = maxIterations(2);
    const refused = { code: 'INVALID_OPTION', message: expect.stringContaining('could never end the run') };
    await expect(result.resume({ stopWhen: [raised, stopOnTool('sort')] })).rejects.toMatchObject(refused);
    await expect(result.resume({ stopWhen: [raised, budgetPressure(0.5)] })).rejects.toMatchObject(refused);
    const done = await result.resume({ stopWhen: [raised, stopOnTool('find')] });
    expect(done.termination).toMatchObject({ kind: 'tool_called', tool: 'find' });
  });
});
