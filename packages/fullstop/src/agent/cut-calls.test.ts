import { beforeAll, describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Clock } from '../engines/port/clock.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { loadLoop } from './load-loop.js';
import { agentAsTool } from './tools/agent-as-tool.js';

// A simulated clock passes over the time in which the loop is loaded.
beforeAll(() => loadLoop());

const usage = { inputTokens: 1, outputTokens: 1 };
const call = (tool: string, id: string) => ({ tool, input: { prompt: 'go' }, id });
const quick = { execute: () => 'quickly done' };

/** A tool that needs ten seconds, the first time that it is called. */
function slowOnce(clock: Clock) {
  let calls = 0;
  const execute = async () => {
    calls += 1;
    if (calls === 1) await new Promise<void>((resolve) => void clock.callAt(clock.now() + 10_000, resolve));
    return 'slowly done';
  };
  return { execute };
}

function helper(clock: Clock) {
  const answer = { toolCalls: [call('quick', 'q')], usage: { inputTokens: 100, outputTokens: 0 }, delay: '20ms' };
  const model = scriptedModel([answer, answer, { text: 'helped' }], { clock });
  return defineAgent({ name: 'helper', model, tools: { quick } });
}

describe('a call of a tool that a limit cuts', () => {
  it.each([
    ['time_budget', timeout({ run: 1000 }), timeout({ run: 60_000 })],
    ['token_budget', tokenBudget({ total: 60 }), tokenBudget({ total: 100_000 })],
  ] as const)(
    'is among the calls with an error when %s is used up, and is made again by a resume',
    async (kind, condition, more) => {
      const clock = simulatedClock();
      const engine = memoryEngine({ clock });
      const asked = [call('slow', 's'), call('quick', 'q'), ...(kind === 'token_budget' ? [call('helper', 'h')] : [])];
      const model = scriptedModel([
        { toolCalls: asked, usage },
        { text: 'done', usage },
      ]);
      const tools = { slow: slowOnce(clock), quick, helper: agentAsTool(helper(clock)) };
      const agent = defineAgent({ name: 'a', model, tools, stopWhen: [condition] });
      const result = await agent.run('go', { engine });
      expect(result.termination.kind).toBe(kind);
      expect(result.toolCalls.map(({ id, error }) => [id, error?.code])).toEqual([
        ['s', 'ABORTED'],
        ['q', undefined],
        ...(kind === 'token_budget' ? [['h', undefined]] : []),
      ]);
      expect(result.toolCalls[0]?.error?.message).toBe(
        'This call was under way when the run reached a limit. It was aborted, and how far it had come is not known.',
      );
      expect((await agent.result(result.runId, { engine }))?.toolCalls).toEqual(result.toolCalls);
      const resumed = await result.resume({ stopWhen: [more] } as never);
      expect(resumed.termination).toEqual({ kind: 'natural_end' });
      expect(resumed.toolCalls.slice(0, 2)).toMatchObject([
        { id: 's', output: { value: 'slowly done' } },
        { id: 'q', output: { value: 'quickly done' } },
      ]);
      expect(resumed.toolCalls).toHaveLength(asked.length);
    },
  );

  it('is skipped where it had not begun, because so many at once were under way', async () => {
    const clock = simulatedClock();
    const model = scriptedModel([{ toolCalls: ['a', 'b', 'c'].map((id) => call('slow', id)), usage }]);
    const forever = { execute: () => new Promise<never>(() => undefined) };
    const stopWhen = [timeout({ run: 1000 })];
    const options = { name: 'a', model, tools: { slow: forever }, stopWhen, toolConcurrency: 2 };
    const result = await defineAgent(options).run('go', { clock });
    expect(result.termination.kind).toBe('time_budget');
    expect(result.toolCalls.map(({ id, error }) => [id, error?.code])).toEqual([
      ['a', 'ABORTED'],
      ['b', 'ABORTED'],
      ['c', 'SKIPPED'],
    ]);
  });
});
