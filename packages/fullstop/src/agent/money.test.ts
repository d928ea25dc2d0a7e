import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineRun } from '../run/define-run.js';
import { end } from '../run/ending/body-result.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { runAgent } from './run-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';

const echo = { execute: () => 'x' };
const call = { toolCalls: [{ tool: 'echo', input: {} }] };
const tenCents = { ...call, usage: { inputTokens: 100_000, outputTokens: 0 } };

function priced(model: LanguageModel): Record<string, { inputPerMillion: number; outputPerMillion: number }> {
  return { [`${model.provider}/${model.modelId}`]: { inputPerMillion: 1, outputPerMillion: 3 } };
}

describe('money', () => {
  it('is summed exactly: ten calls at $0.10 reach a budget of $1', async () => {
    for (const alwaysReplay of [false, true]) {
      const model = scriptedModel([tenCents], { exhausted: 'repeat-last' });
      const result = await runAgent({
        model,
        prompt: 'go',
        tools: { echo },
        prices: priced(model),
        stopWhen: [costBudget({ usd: 1 })],
        alwaysReplay,
      });
      expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 1, usedUsd: 1 });
      expect(result.costUsd).toBe(1);
      expect(result.iterations).toHaveLength(10);
    }
  });

  it('leaves no binary rests in the journal', async () => {
    const usage = { inputTokens: 94_000, outputTokens: 1 };
    const model = scriptedModel([{ ...call, usage }], { exhausted: 'repeat-last' });
    const stopWhen = [maxIterations(7)];
    const result = await runAgent({ model, prompt: 'go', tools: { echo }, prices: priced(model), stopWhen });
    expect(result.costUsd).toBe(0.658021);
    expect(JSON.stringify([result, await result.journal()])).not.toMatch(/\d\.\d{10,}/);
  });
});

describe('an estimate', () => {
  const answers = { missing: undefined, 'not a number': Number.NaN, negative: -5 };

  it.each(Object.entries(answers))('is marked where the usage is %s', async (_, tokens) => {
    const inner = scriptedModel([{ ...call }], { exhausted: 'repeat-last' });
    const model: LanguageModel = Object.assign(Object.create(inner) as LanguageModel, {
      doGenerate: async (options: never) => {
        const answer = (await inner.doGenerate(options)) as object;
        return { ...answer, usage: { inputTokens: tokens, outputTokens: tokens, totalTokens: tokens } };
      },
    });
    const options = { model, prompt: 'go', tools: { echo }, prices: priced(model) };
    const engine = memoryEngine();
    const tokensUp = await runAgent({ ...options, engine, stopWhen: [tokenBudget({ total: 20 })] });
    expect(tokensUp).toMatchObject({ estimated: true, termination: { kind: 'token_budget', estimated: true } });
    expect(tokensUp.summary).toContain('about ');
    expect((await engine.ending(tokensUp.runId))?.estimated).toBe(true);
    expect((await engine.summary(tokensUp.runId))?.estimated).toBe(true);
    const costUp = await runAgent({ ...options, stopWhen: [costBudget({ usd: 0.00001 })] });
    expect(costUp).toMatchObject({ estimated: true, termination: { kind: 'cost_budget', estimated: true } });
  });

  it('is not claimed where the provider reported everything', async () => {
    const model = scriptedModel([{ text: 'done', usage: { inputTokens: 1, outputTokens: 1 } }]);
    const result = await runAgent({ model, prompt: 'go', stopWhen: [tokenBudget({ total: 2 })] });
    expect(result).not.toHaveProperty('estimated');
    expect(JSON.stringify(await result.journal())).not.toContain('estimated');
  });

  it('is marked in the views of hooks, compactions and preparations once something was guessed', async () => {
    const marksOf = async (usage?: { inputTokens: number; outputTokens: number }) => {
      const reported = usage && { usage };
      const seen: unknown[] = [];
      const note = (place: string, view: object) => {
        if ('estimated' in view) seen.push([place, view.estimated]);
        else seen.push(place);
        return undefined;
      };
      await runAgent({
        model: scriptedModel([
          { ...call, ...reported },
          { text: 'done', ...reported },
        ]),
        prompt: 'go',
        tools: { echo },
        compaction: { contextWindow: 10, strategies: [{ name: 'none', compact: (messages) => messages }] },
        prepareStep: (view) => note('prepareStep', view),
        hooks: {
          beforeCompaction: (view) => note('beforeCompaction', view),
          beforeModel: (view) => note('beforeModel', view),
          afterModel: (view) => note('afterModel', view) ?? note('call', view.call),
        },
      });
      return seen;
    };
    const first = ['beforeModel', 'prepareStep', 'afterModel'];
    const second = ['beforeCompaction', ...first];
    const marked = (place: string) => [place, true];
    expect(await marksOf()).toEqual([...first, marked('call'), ...second.map(marked), marked('call')]);
    expect(await marksOf({ inputTokens: 10, outputTokens: 1 })).toEqual([...first, 'call', ...second, 'call']);
  });

  it('of an agent inside is one of its parent', async () => {
    const inner = scriptedModel([{ text: 'done' }]);
    const silent: LanguageModel = Object.assign(Object.create(inner) as LanguageModel, {
      doGenerate: async (options: never) => ({ ...((await inner.doGenerate(options)) as object), usage: {} }),
    });
    const usage = { inputTokens: 1, outputTokens: 1 };
    const model = scriptedModel([
      { toolCalls: [{ tool: 'helper', input: { prompt: 'x' } }], usage },
      { text: 'ok', usage },
    ]);
    const helper = defineAgent({ name: 'helper', model: silent });
    const result = await runAgent({ model, prompt: 'go', tools: { helper: agentAsTool(helper) } });
    expect(result.estimated).toBe(true);
    expect(result.children).toMatchObject([{ estimated: true }]);
  });
});

describe('a call that is cut off', () => {
  it.each(['run', 'iteration', 'model'] as const)('by the time of the %s is charged for its prompt', async (scope) => {
    for (const isStreamed of [false, true]) {
      const model = scriptedModel([{ text: 'late', delay: '10s' }], { exhausted: 'repeat-last' });
      const result = await runAgent({
        model,
        prompt: 'A prompt that is long enough to be counted',
        prices: priced(model),
        clock: simulatedClock(),
        retry: { attempts: 1 },
        stopWhen: [timeout({ [scope]: 1000 })],
        ...(isStreamed && { onDelta: () => undefined }),
      });
      expect(result.termination).toMatchObject({ kind: 'time_budget', scope });
      expect(result).toMatchObject({ estimated: true, usage: { outputTokens: 0 } });
      expect(result.usage.inputTokens).toBeGreaterThan(10);
      expect(result.costUsd).toBeGreaterThan(0);
    }
  });

  const waits = { initialDelayMs: 60_000, maximumDelayMs: 60_000, on: ['timeout'] } as const;
  const places = {
    'in the middle': {},
    'between two attempts': { stopWhen: [timeout({ model: 500 })], retry: { attempts: 2, ...waits } },
  };

  it.each(Object.entries(places))(
    '%s by the time of the stage around its agent is charged too, once',
    async (_, more) => {
      const model = scriptedModel([{ text: 'late', delay: '10s' }], { exhausted: 'repeat-last' });
      const helper = defineAgent({ name: 'helper', model, ...more });
      const outer = defineRun({
        name: 'outer',
        run: async (context) => {
          const limits = { timeMs: 1000 };
          const { termination } = await context.child('stage', (inner) => helper.within(inner, 'Take your time'), {
            limits,
          });
          return end(terminations.naturalEnd(), { kind: termination.kind });
        },
      });
      for (const alwaysReplay of [false, true]) {
        const engine = memoryEngine({ clock: simulatedClock() });
        const result = await outer.run(undefined, { engine, alwaysReplay });
        expect(result.output).toEqual({ kind: 'time_budget' });
        const cut = (await result.journal()).filter(({ type, data }) => type === 'step_ended' && 'charge' in data);
        expect(cut).toMatchObject([{ scope: 'stage', data: { stopped: true, charge: { estimated: true } } }]);
        expect(result).toMatchObject({ estimated: true, usage: { outputTokens: 0 } });
        expect(result.usage.inputTokens).toBeGreaterThan(5);
      }
    },
  );
});
