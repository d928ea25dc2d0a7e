import { beforeAll, describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Clock } from '../engines/port/clock.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { pipeline, using } from '../pipeline/index.js';
import { contentMatch } from '../stop/conditions/content-match.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { stopOnTool } from '../stop/conditions/stop-on-tool.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { loadLoop } from './load-loop.js';
import { finish, submit } from './options/directive.js';
import { agentAsTool } from './tools/agent-as-tool.js';

// A simulated clock passes over the time in which the loop is loaded.
beforeAll(() => loadLoop());

const usage = { inputTokens: 1, outputTokens: 1 };
const forever = { execute: () => new Promise<never>(() => undefined) };
const hand = { execute: () => submit('handed in') };
const note = { execute: () => 'noted' };
const calls = (...tools: readonly string[]) => tools.map((tool) => ({ tool, input: { prompt: 'go' } }));
const prices = { scripted: { inputPerMillion: 1_000_000, outputPerMillion: 1_000_000 } };

/** An agent that uses 100 tokens in its first call and then continues. */
function helper(clock: Clock) {
  const answer = { toolCalls: calls('note'), usage: { inputTokens: 100, outputTokens: 0 }, delay: '20ms' };
  const model = scriptedModel([answer], { exhausted: 'repeat-last', clock });
  return defineAgent({ name: 'helper', model, tools: { note }, prices });
}

const goals = {
  submitted: { text: '', done: 'hand', stopWhen: [], hooks: {} },
  content_matched: { text: 'the END', done: undefined, stopWhen: [contentMatch('END')], hooks: {} },
  tool_called: { text: '', done: 'note', stopWhen: [stopOnTool('note')], hooks: {} },
  plugin_requested: {
    text: '',
    done: 'note',
    stopWhen: [],
    hooks: { afterTool: ({ tool }: { tool: string }) => (tool === 'note' ? finish('done') : undefined) },
  },
} as const;

const limits = {
  time_budget: { busy: 'forever', condition: timeout({ run: 1000 }) },
  token_budget: { busy: 'helper', condition: tokenBudget({ total: 60 }) },
  cost_budget: { busy: 'helper', condition: costBudget({ usd: 60 }) },
} as const;

type Goal = keyof typeof goals;
type Limit = keyof typeof limits;

function agentFor(goal: Goal, limit: Limit, clock: Clock, more: object = {}) {
  const { text, done, stopWhen, hooks } = goals[goal];
  const { busy, condition } = limits[limit];
  const asked = [...(done === undefined ? [] : [done]), busy];
  const model = scriptedModel([{ text, toolCalls: calls(...asked), usage }], { exhausted: 'repeat-last' });
  return defineAgent({
    name: 'outer',
    model,
    prices,
    tools: { hand, note, forever, helper: agentAsTool(helper(clock)) },
    hooks,
    ...more,
    stopWhen: [...stopWhen, condition, ...((more as { readonly stopWhen?: readonly never[] }).stopWhen ?? [])],
  } as never);
}

const cells = (Object.keys(goals) as Goal[]).flatMap((goal) =>
  (Object.keys(limits) as Limit[]).map((limit) => [goal, limit] as const),
);

describe.each(cells)('the goal %s, reached beside a call that %s cuts', (goal, limit) => {
  it('ends the run, whole, streamed and always replayed, and the limit has lost', async () => {
    for (const way of ['run', 'stream', 'replay']) {
      const clock = simulatedClock();
      const agent = agentFor(goal, limit, clock);
      const engine = memoryEngine({ clock });
      const started = way === 'stream' ? agent.stream('go', { engine }) : undefined;
      const result = await (started?.result ?? agent.run('go', { engine, alwaysReplay: way === 'replay' }));
      expect([way, result.termination.kind, result.also.map(({ kind }) => kind)]).toEqual([way, goal, [limit]]);
      if (goal === 'submitted') expect(result.output).toBe('handed in');
      const { busy } = limits[limit];
      expect(result.toolCalls.at(-1)).toMatchObject({ tool: busy });
      const again = await agent.result(result.runId, { engine });
      expect([again?.termination, again?.toolCalls, again?.also]).toEqual([
        result.termination,
        result.toolCalls,
        result.also,
      ]);
    }
  });

  it('is told to the hook and weighed against a verdict that forbids', async () => {
    const told: string[] = [];
    const onEnd = ({ termination }: { readonly termination: { readonly kind: string } }): void => {
      told.push(termination.kind);
    };
    const verdict = terminations.custom({ reason: 'no', category: 'fatal' });
    for (const forbids of [false, true]) {
      const stopWhen = [stopCondition('policy', () => (forbids ? verdict : undefined))];
      const clock = simulatedClock();
      const agent = agentFor(goal, limit, clock, { hooks: { ...goals[goal].hooks, onEnd }, stopWhen });
      const result = await agent.run('go', { engine: memoryEngine({ clock }) });
      const kinds = [result.termination, ...result.also].map(({ kind }) => kind);
      expect(kinds).toEqual(forbids ? ['custom', goal, limit] : [goal, limit]);
    }
    expect(told).toEqual([goal, 'custom']);
  });
});

describe('a goal that waits for its round', () => {
  const model = () => scriptedModel([{ text: 'the END', toolCalls: calls('forever'), usage }]);

  it('stands over the limit of a stage', async () => {
    const agent = defineAgent({ name: 'a', model: model(), tools: { forever }, stopWhen: [contentMatch('END')] });
    const stages = pipeline('p').stage(
      'write',
      using(agent, () => 'go'),
      { limits: { timeMs: 1000 } },
    );
    const result = await stages.run(undefined, { clock: simulatedClock() });
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'write' });
    expect(result.stages).toMatchObject([{ name: 'write', termination: { kind: 'content_matched' } }]);
  });

  it('is in `also` of an agent that a limit of its parent cuts', async () => {
    const clock = simulatedClock();
    const inner = scriptedModel([{ toolCalls: calls('hand', 'forever'), usage }]);
    const worker = defineAgent({ name: 'worker', model: inner, tools: { hand, forever } });
    const outer = scriptedModel([{ toolCalls: calls('worker'), usage }]);
    const stopWhen = [timeout({ run: 1000 })];
    const tools = { worker: agentAsTool(worker) };
    const result = await defineAgent({ name: 'outer', model: outer, tools, stopWhen }).run('go', { clock });
    expect(result.termination.kind).toBe('time_budget');
    const termination = { kind: 'cancelled', by: 'parent', cause: { kind: 'time_budget' } };
    expect(result.children).toMatchObject([{ termination, also: [{ kind: 'submitted', deliverable: 'handed in' }] }]);
  });

  it('is not waited for longer than a moment when a verdict does not come, and is not lost', async () => {
    const clock = simulatedClock();
    const policy = stopCondition('policy', async () => {
      await new Promise<void>((resolve) => void clock.callAt(clock.now() + 1e9, resolve));
      return undefined;
    });
    const stopWhen = [contentMatch('END'), timeout({ run: 1000 }), policy];
    const agent = defineAgent({ name: 'a', model: model(), tools: { forever }, stopWhen });
    const result = await agent.run('go', { clock });
    expect(result.termination.kind).toBe('time_budget');
    expect(result.also).toMatchObject([{ kind: 'content_matched' }]);
  });
});
