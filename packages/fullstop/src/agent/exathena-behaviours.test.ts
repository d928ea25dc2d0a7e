import { describe, expect, it } from 'vitest';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { consecutiveMistakes } from '../stop/conditions/consecutive-mistakes.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { noProgress } from '../stop/conditions/no-progress.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { halt } from './options/directive.js';
import { runAgent } from './run-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { submitTool } from './tools/submit-tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const calls = (...tools: readonly string[]): ScriptAnswer => ({
  toolCalls: tools.map((tool) => ({ tool, input: {} })),
  usage,
});
const same = (...answers: readonly ScriptAnswer[]) => scriptedModel(answers, { exhausted: 'repeat-last' });
const echo = { execute: () => 'x' };
const broken = {
  execute: () => {
    throw new Error('broken');
  },
};
const prompt = 'go';

// The easily missed behaviours of ExAthena, by their numbers, each with what became of it here.
describe("ExAthena's behaviours", () => {
  it('1, improved: what is submitted is an ending of its own, no halt in disguise', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'submit', input: { score: 7 } }] }]);
    const result = await runAgent({ model, tools: { submit: submitTool() }, prompt });
    expect(result.termination).toEqual({ kind: 'submitted', tool: 'submit', deliverable: { score: 7 } });
    expect(result.output).toEqual({ score: 7 });
  });

  it('2, improved: the iteration that ends the run counts', async () => {
    const result = await runAgent({ model: scriptedModel([{ text: 'done' }]), prompt });
    expect(result.iterations.map(({ iteration }) => iteration)).toEqual([1]);
  });

  it('3, improved: of what comes up at once budgets come first, then detectors, then caps; the others are in also', async () => {
    const stopWhen = [maxToolCalls(2), consecutiveMistakes(2)];
    const result = await runAgent({ model: same(calls('broken')), tools: { broken }, prompt, stopWhen });
    expect(result.termination.kind).toBe('consecutive_mistakes');
    expect(result.also.map(({ kind }) => kind)).toEqual(['max_tool_calls']);
    const all = [maxIterations(3), noProgress(2), tokenBudget({ total: 60 })];
    const spent = await runAgent({ model: same(calls('echo')), tools: { echo }, prompt, stopWhen: all });
    expect(spent.termination.kind).toBe('token_budget');
  });

  it('4, kept: mistakes count by rounds, and any success in a mixed round resets them', async () => {
    const stopWhen = [consecutiveMistakes(2), maxIterations(4)];
    const tools = { echo, broken };
    const mixed = await runAgent({ model: same(calls('broken', 'echo')), tools, prompt, stopWhen });
    expect(mixed.termination.kind).toBe('max_iterations');
    const bad = await runAgent({ model: same(calls('broken', 'broken', 'broken')), tools, prompt, stopWhen });
    expect(bad.termination).toMatchObject({ kind: 'consecutive_mistakes', used: 2 });
  });

  it('5, improved: failures of parallel calls are mistakes too; a timeout is not the fault of the model', async () => {
    const stopWhen = [consecutiveMistakes(1), maxIterations(2)];
    const parallel = await runAgent({ model: same(calls('broken', 'broken')), tools: { broken }, prompt, stopWhen });
    expect(parallel.termination.kind).toBe('consecutive_mistakes');
    const late = { execute: () => new Promise<never>(() => undefined), timeout: '1s' } as const;
    const clock = simulatedClock();
    const timed = await runAgent({ model: same(calls('late')), tools: { late }, prompt, stopWhen, clock });
    expect(timed.termination.kind).toBe('max_iterations');
  });

  it("6, improved: calls begin in the model's order, and their results have it, whoever is faster", async () => {
    const begun: number[] = [];
    const wait = {
      execute: async ({ n }: { readonly n: number }) => {
        begun.push(n);
        await new Promise((resolve) => setTimeout(resolve, 20 - n * 5));
        return n;
      },
    };
    const toolCalls = [1, 2, 3].map((n) => ({ tool: 'wait', input: { n } }));
    const result = await runAgent({ model: scriptedModel([{ toolCalls }, { text: '' }]), tools: { wait }, prompt });
    expect(begun).toEqual([1, 2, 3]);
    expect(result.toolCalls.map(({ output }) => 'value' in output && output.value)).toEqual([1, 2, 3]);
  });

  it('7, kept: progress is measured with the results, and the first iteration is always progress', async () => {
    const still = await runAgent({ model: same(calls('echo')), tools: { echo }, prompt, stopWhen: [noProgress(3)] });
    expect(still.termination).toMatchObject({ kind: 'no_progress', used: 3 });
    expect(still.iterations).toHaveLength(4);
    let polls = 0;
    const poll = { execute: () => ++polls };
    const stopWhen = [noProgress(2), maxIterations(6)];
    const polling = await runAgent({ model: same(calls('poll')), tools: { poll }, prompt, stopWhen });
    expect(polling.termination.kind).toBe('max_iterations');
  });

  it('8, improved: only words that were not said before are progress, in every mode', async () => {
    const say = (text: string): ScriptAnswer => ({ ...calls('echo'), text });
    const model = same(say('hm'), say(' hm '), say('so'), say('hm'), say('so'), say('hm'));
    const result = await runAgent({ model, tools: { echo }, prompt, stopWhen: [noProgress(3)] });
    expect(result.termination.kind).toBe('no_progress');
    expect(result.iterations).toHaveLength(6);
  });

  it('9, kept and improved: an overflow is helped once per iteration; a failed compaction is named as that', async () => {
    const overflow: ScriptAnswer = { error: 'context_length' };
    const again = scriptedModel([overflow, calls('echo'), overflow, { text: 'done' }]);
    const twice = await runAgent({ model: again, tools: { echo }, prompt, compaction: {} });
    expect(twice.termination).toEqual({ kind: 'natural_end' });
    const hopeless = await runAgent({ model: same(overflow), prompt, compaction: {} });
    expect(hopeless.termination.kind).toBe('prompt_too_long');
    const strategies = [{ name: 'shrink', compact: () => Promise.reject(new Error('cannot')) }];
    const failed = await runAgent({ model: same(overflow), prompt, compaction: { strategies } });
    expect(failed.termination).toMatchObject({ kind: 'compaction_failed', stage: 'shrink' });
  });

  it('10, kept: the call after a compaction has its own ending', async () => {
    const model = scriptedModel([{ error: 'context_length' }, calls('stop')]);
    const tools = { stop: { execute: () => halt('no more') } };
    const halted = await runAgent({ model, tools, prompt, compaction: {} });
    expect(halted.termination.kind).toBe('halted');
    const refused = scriptedModel([{ error: 'context_length' }, { error: 'auth' }]);
    expect((await runAgent({ model: refused, prompt, compaction: {} })).termination.kind).toBe('provider_auth');
  });

  it('11, kept and improved: a raised cap stays and its tokens count; an error of the second attempt is reported as itself', async () => {
    const starved = { text: '', error: 'length', usage: { inputTokens: 1, outputTokens: 8 } } as const;
    const settings = { maxOutputTokens: 8 };
    const model = scriptedModel([starved, { text: 'done', usage }]);
    const good = await runAgent({ model, prompt, settings });
    expect(good.termination).toEqual({ kind: 'natural_end' });
    expect(good.usage.totalTokens).toBe(29);
    const bad = await runAgent({ model: scriptedModel([starved, { error: 'auth' }]), prompt, settings });
    expect([bad.termination.kind, ...bad.also.map(({ kind }) => kind)]).toEqual(['provider_auth', 'output_truncated']);
  });

  it('12, improved: every call has its own attempts, with growing delays, in every mode', async () => {
    const clock = simulatedClock();
    const busy: ScriptAnswer = { error: { status: 503 } };
    const model = scriptedModel([busy, busy, calls('echo'), busy, busy, { text: 'done' }]);
    const result = await runAgent({ model, tools: { echo }, prompt, clock });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.iterations.map(({ attempts }) => attempts)).toEqual([3, 3]);
  });

  it('13, improved: 0 is refused for every limit, and means nothing', () => {
    for (const make of [maxIterations, maxToolCalls, consecutiveMistakes, noProgress]) {
      expect(() => make(0)).toThrow('0 does not mean "no limit"');
    }
    expect(() => costBudget({ usd: 0 })).toThrow('0 does not mean "no limit"');
  });

  it('14, improved: a hook that throws fails the run with its error; the one that is notified of the end cannot change it', async () => {
    const fail = (): never => {
      throw new Error('crashed');
    };
    const model = () => scriptedModel([{ text: 'done' }]);
    const failed = await runAgent({ model: model(), prompt, hooks: { name: 'guard', beforeModel: fail } });
    expect(failed.termination).toMatchObject({ kind: 'failed', origin: 'hook', error: { message: 'crashed' } });
    const ended = await runAgent({ model: model(), prompt, hooks: { onEnd: fail } });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    const journal = await ended.journal();
    expect(journal.at(-1)?.type).toBe('segment_ended');
  });

  it('15, improved: an unknown cost is null and no budget is built on it; what agents inside cost is seen', async () => {
    const unknown = { model: scriptedModel([{ text: 'x', usage }]), prompt };
    expect((await runAgent(unknown)).costUsd).toBeNull();
    await expect(runAgent({ ...unknown, stopWhen: [costBudget({ usd: 1 })] })).rejects.toThrow('no price');
    const prices = { scripted: { inputPerMillion: 1_000_000, outputPerMillion: 0 } };
    const model = scriptedModel({ outer: [calls('helper'), { text: 'x', usage }], helper: [{ text: 'y', usage }] });
    const helper = agentAsTool(defineAgent({ name: 'helper', model, prices }));
    const options = { name: 'outer', model, tools: { helper }, prompt, prices };
    const result = await runAgent({ ...options, stopWhen: [costBudget({ usd: 15 })] });
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 15, usedUsd: 20 });
    expect(result.children).toMatchObject([{ costUsd: 10 }]);
  });
});
