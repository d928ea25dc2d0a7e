import { describe, expect, it } from 'vitest';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { parseStopConditions } from '../stop/condition-json.js';
import { consecutiveErrors } from '../stop/conditions/consecutive-errors.js';
import { contentMatch } from '../stop/conditions/content-match.js';
import { loopDetection } from '../stop/conditions/loop-detection.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { stopOnTool } from '../stop/conditions/stop-on-tool.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { approve, deny } from './options/directive.js';
import { runAgent } from './run-agent.js';
import { requireApproval } from './tools/tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const calls = (...tools: readonly string[]): ScriptAnswer => ({
  toolCalls: tools.map((tool, index) => ({ tool, input: {}, id: `${tool}${index}` })),
  usage,
});
const same = (...answers: readonly ScriptAnswer[]) => scriptedModel(answers, { exhausted: 'repeat-last' });
const echo = { execute: (input: object) => input };
const broken = {
  execute: () => {
    throw new Error('broken');
  },
};
const prompt = 'go';

// The easily missed behaviours of Tirea, by their numbers, each with what became of it here.
describe("Tirea's behaviours", () => {
  it('1, improved: conditions see a final answer too, but no limit takes it away; a goal among them does', async () => {
    const limit = await runAgent({ model: same({ text: 'done', usage }), prompt, stopWhen: [maxIterations(1)] });
    expect(limit.termination).toEqual({ kind: 'natural_end' });
    const spent = await runAgent({
      model: same({ text: 'done', usage }),
      prompt,
      stopWhen: [tokenBudget({ total: 5 })],
    });
    expect([spent.termination.kind, ...spent.also.map(({ kind }) => kind)]).toEqual(['natural_end', 'token_budget']);
    const matched = await runAgent({ model: same({ text: 'all DONE' }), prompt, stopWhen: [contentMatch('DONE')] });
    expect(matched.termination).toEqual({ kind: 'content_matched', pattern: 'DONE' });
  });

  it('2, kept and improved: the round of a tool that stops the run is run; what it did is in the result', async () => {
    const tools = { finish: echo, other: echo };
    const stopWhen = [stopOnTool('finish')];
    const result = await runAgent({ model: same(calls('finish', 'other')), tools, prompt, stopWhen });
    expect(result.termination).toEqual({ kind: 'tool_called', tool: 'finish' });
    expect(result.toolCalls.map(({ tool }) => tool)).toEqual(['finish', 'other']);
    // A tool that failed was called all the same, unless only success counts.
    const failing = await runAgent({
      model: scriptedModel([calls('finish'), { text: 'done' }]),
      tools: { finish: broken },
      prompt,
      stopWhen: [stopOnTool('finish', { succeeded: true })],
    });
    expect(failing.termination).toEqual({ kind: 'natural_end' });
  });

  it('3, improved: what waits for a person pauses the run at once, and nothing of the answer is dropped', async () => {
    const model = scriptedModel([{ ...calls('send'), text: 'let me send it' }, { text: 'sent' }]);
    const options = { model, tools: { send: requireApproval(echo) }, prompt, stopWhen: [maxToolCalls(1)] };
    const paused = await runAgent(options);
    expect(paused.termination.kind).toBe('interaction_pending');
    expect(paused.text).toBe('let me send it');
    // The condition is weighed once the answer is there, and not before.
    const ended = await paused.resume({ answers: { send0: approve() } });
    expect(ended.termination).toEqual({ kind: 'max_tool_calls', limit: 1, used: 1 });
  });

  it('4, improved: a mixed round runs what may run, and the model is asked again only when the round is whole', async () => {
    let asked = 0;
    const model = scriptedModel([calls('free', 'send'), { text: 'done' }], { onCall: () => (asked += 1) });
    const paused = await runAgent({ model, tools: { free: echo, send: requireApproval(echo) }, prompt });
    expect(paused.termination.kind).toBe('interaction_pending');
    expect(paused.toolCalls.map(({ tool }) => tool)).toEqual(['free']);
    expect(asked).toBe(1);
    const ended = await paused.resume({ answers: { send1: deny({ reason: 'no' }) } });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(asked).toBe(2);
  });

  it('5, improved: what wins does not hang on the order of the list, only among custom conditions it does', async () => {
    const custom = (name: string) =>
      stopCondition(name, () => terminations.custom({ reason: name, category: 'capacity' }));
    const run = async (...names: readonly string[]) => {
      const all = { cap: maxIterations(1), first: custom('first'), second: custom('second') };
      const stopWhen = names.map((name) => all[name as keyof typeof all]);
      const { termination, also } = await runAgent({ model: same(calls('echo')), tools: { echo }, prompt, stopWhen });
      return [termination, ...also].map((each) => ('reason' in each ? each.reason : each.kind));
    };
    expect(await run('first', 'cap', 'second')).toEqual(['max_iterations', 'first', 'second']);
    expect(await run('second', 'first', 'cap')).toEqual(['max_iterations', 'second', 'first']);
  });

  it('6, kept: without a limit of iterations there is one, whatever other conditions there are', async () => {
    let n = 0;
    const count = { execute: () => ++n };
    const options = { model: same(calls('count')), tools: { count }, prompt };
    const result = await runAgent({ ...options, stopWhen: [loopDetection()] });
    expect(result.termination).toEqual({ kind: 'max_iterations', limit: 50, used: 50, unit: 'iteration' });
  });

  it('7, kept for its JSON, improved for ours: its 0 has its meanings, ours has none', async () => {
    const off = parseStopConditions([
      { type: 'token_budget', max_total: 0 },
      { type: 'consecutive_errors', max: 0 },
    ]);
    expect(off).toEqual([]);
    const stopWhen = parseStopConditions([{ type: 'max_rounds', rounds: 0 }]);
    const result = await runAgent({ model: same(calls('echo')), tools: { echo }, prompt, stopWhen });
    expect(result.termination).toMatchObject({ kind: 'max_iterations', unit: 'round', used: 1 });
    expect(() => tokenBudget({ total: 0 })).toThrow('0 does not mean "no limit"');
  });

  it('8, kept for its JSON, improved for ours: a loop is the same calls with the same results, in cycles too', async () => {
    let n = 0;
    const tools = { count: { execute: () => ++n }, a: { execute: () => 'a' }, b: { execute: () => 'b' } };
    const names = parseStopConditions([{ type: 'loop_detection', window: 3 }]);
    const byName = await runAgent({ model: same(calls('count')), tools, prompt, stopWhen: names });
    expect(byName.termination).toMatchObject({ kind: 'loop_detected', repeats: 2 });
    const own = [loopDetection(), maxIterations(8)];
    const counting = await runAgent({ model: same(calls('count')), tools, prompt, stopWhen: own });
    expect(counting.termination.kind).toBe('max_iterations');
    const cycle = [calls('a'), calls('b'), calls('a'), calls('b'), calls('a'), calls('b')];
    const cycling = await runAgent({ model: scriptedModel(cycle), tools, prompt, stopWhen: own });
    expect(cycling.termination).toMatchObject({ kind: 'loop_detected', cycle: [{ tool: 'a' }, { tool: 'b' }] });
  });

  it('9, kept, and unlike there it fires: a round counts as failed when all its calls failed', async () => {
    const tools = { echo, broken };
    const stopWhen = [consecutiveErrors(2), maxIterations(4)];
    const bad = await runAgent({ model: same(calls('broken', 'broken')), tools, prompt, stopWhen });
    expect(bad.termination).toMatchObject({ kind: 'consecutive_errors', used: 2 });
    const mixed = await runAgent({ model: same(calls('broken', 'echo')), tools, prompt, stopWhen });
    expect(mixed.termination.kind).toBe('max_iterations');
  });

  it('10, kept: the counters are those of this run, whatever conversation it begins with', async () => {
    const before = [
      { role: 'user', content: 'earlier' },
      { role: 'assistant', content: 'DONE' },
      { role: 'user', content: 'go' },
    ] as const;
    const options = { model: scriptedModel([calls('echo'), { text: 'ok' }]), tools: { echo } };
    const stopWhen = [maxIterations(2), contentMatch('DONE')];
    const result = await runAgent({ ...options, prompt: before, stopWhen });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.iterations).toHaveLength(2);
  });

  it('11, improved: one word for an ending everywhere, in the result, the journal and the tag', async () => {
    const result = await runAgent({
      model: same(calls('echo')),
      tools: { echo },
      prompt,
      stopWhen: [maxIterations(1)],
    });
    const last = (await result.journal()).at(-1);
    const envelope = last?.type === 'segment_ended' ? last.data.envelope : undefined;
    expect([result.termination.kind, result.tag, envelope?.termination.kind, envelope?.tag]).toEqual(
      Array.from({ length: 4 }, () => 'max_iterations'),
    );
  });

  it('12, improved: every ending has what there is of the answer', async () => {
    const model = same({ ...calls('echo'), text: 'so far so good' });
    const result = await runAgent({ model, tools: { echo }, prompt, stopWhen: [maxIterations(2)] });
    expect(result.termination.kind).toBe('max_iterations');
    expect([result.text, result.output]).toEqual(['so far so good', 'so far so good']);
    expect(result.messages.at(-1)?.role).toBe('tool');
  });

  it('13, improved: an answer says what it decides; only an input that is given replaces the arguments', async () => {
    const run = async (answer: Parameters<typeof approve>[0]) => {
      const model = scriptedModel([{ toolCalls: [{ tool: 'send', input: { to: 'a' }, id: 'c' }] }, { text: 'done' }]);
      const paused = await runAgent({ model, tools: { send: requireApproval(echo) }, prompt });
      return (await paused.resume({ answers: { c: approve(answer) } })).toolCalls[0]?.output;
    };
    expect(await run({ by: 'maria' })).toEqual({ type: 'json', value: { to: 'a' } });
    expect(await run({ input: { to: 'b' } })).toEqual({ type: 'json', value: { to: 'b' } });
  });

  it('14, improved: fallback models are asked whatever kept the first one from answering', async () => {
    const clock = simulatedClock();
    for (const error of ['auth', 'network', { status: 429, retryAfter: '10m' }, { status: 400 }] as const) {
      const options = { model: same({ error }), fallbackModels: [scriptedModel([{ text: 'here' }])] };
      const result = await runAgent({ ...options, prompt, clock });
      expect(result.text, JSON.stringify(error)).toBe('here');
    }
  });

  it('15, improved: there is one ending, and it comes last, on failure and cancellation too', async () => {
    const late = new AbortController();
    const failed = defineAgent({ model: scriptedModel([{ error: 'auth' }]) }).stream(prompt);
    const slow = { execute: () => new Promise<never>(() => late.abort()) };
    const cancelled = defineAgent({ model: scriptedModel([calls('slow')]), tools: { slow }, graceMs: 10 }).stream(
      prompt,
      {
        signal: late.signal,
      },
    );
    for (const stream of [failed, cancelled]) {
      const types: string[] = [];
      for await (const { type } of stream.events()) types.push(type);
      expect(types.filter((type) => type === 'segment_ended')).toHaveLength(1);
      expect(types.at(-1)).toBe('segment_ended');
    }
    expect((await cancelled.result).termination.kind).toBe('cancelled');
  });
});
