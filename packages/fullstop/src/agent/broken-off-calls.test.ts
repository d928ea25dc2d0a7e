import { describe, expect, it } from 'vitest';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { timeout } from '../stop/conditions/timeout.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { runAgent } from './run-agent.js';

const slow = { text: 'late', delay: '10s' };
const prices = { scripted: { inputPerMillion: 1_000_000, outputPerMillion: 1_000_000 } };
const prompt = 'Say something about a conversation that is long enough to be counted';

describe('a call that was broken off', () => {
  it('is charged by estimate for each attempt when it takes too long', async () => {
    const model = () => scriptedModel([slow], { exhausted: 'repeat-last' });
    const run = (attempts: number) =>
      runAgent({
        model: model(),
        prompt,
        prices: { [`${model().provider}/${model().modelId}`]: prices.scripted },
        clock: simulatedClock(),
        retry: { attempts },
        stopWhen: [timeout({ model: 10 })],
      });
    const [once, twice] = [await run(1), await run(2)];
    expect(once.termination).toMatchObject({ kind: 'time_budget', scope: 'model' });
    expect(once.usage.inputTokens).toBeGreaterThan(10);
    expect(once.costUsd).toBeCloseTo(once.usage.inputTokens);
    expect(twice.usage.inputTokens).toBe(2 * once.usage.inputTokens);
    const steps = (await once.journal()).filter(({ type }) => type === 'step_ended');
    expect(steps).toMatchObject([{ data: { charge: { estimated: true } } }]);
  });

  it('is charged by estimate when the run is cancelled, and costs null where there is no price', async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ text: 'late', delay: '5s' }]);
    const running = runAgent({ model, prompt, signal: controller.signal });
    await expect.poll(() => model.used()).toEqual({ '*': 1 });
    controller.abort('enough');
    const result = await running;
    expect(result.termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
    expect(result.usage.inputTokens).toBeGreaterThan(10);
    expect(result.costUsd).toBeNull();
  });
});

const said = 'It will be warm today, with some clouds in the afternoon';

/** A model whose stream breaks after these pieces of text, or whose call fails before, and which answers the second time. */
function breakingModel(pieces: readonly string[], error: () => unknown): LanguageModel {
  const whole = scriptedModel([{ text: 'ok', usage: { inputTokens: 1000, outputTokens: 1000 } }]);
  let calls = 0;
  const begin = (): object => {
    const parts: object[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '1' },
    ];
    parts.push(...pieces.map((delta) => ({ type: 'text-delta', id: '1', delta })));
    const stream = new ReadableStream({
      pull: (controller) => {
        const part = parts.shift();
        if (part === undefined) controller.error(error());
        else controller.enqueue(part);
      },
    });
    return { stream };
  };
  return {
    ...whole,
    doGenerate: (options: never) => (++calls === 1 ? Promise.reject(error()) : whole.doGenerate(options)),
    doStream: (options: never) => Promise.resolve(++calls === 1 ? begin() : whole.doStream(options)),
  } as unknown as LanguageModel;
}

const closed = (): Error => Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
const retry = { attempts: 2, initialDelayMs: 1 };

async function streamed(model: LanguageModel) {
  const stream = defineAgent({ name: 'a', model, retry, prices }).stream(prompt);
  for await (const _ of stream.deltas()) void _;
  return await stream.result;
}

describe('an answer that breaks off in the stream', () => {
  it('is charged by estimate for its prompt and for what had arrived, and marked', async () => {
    const [short, long] = [
      await streamed(breakingModel([said], closed)),
      await streamed(breakingModel([said, said, said], closed)),
    ];
    expect(short.output).toBe('ok');
    expect([short.estimated, long.estimated]).toEqual([true, true]);
    expect(short.usage.inputTokens).toBeGreaterThan(1010);
    expect(short.usage.outputTokens).toBeGreaterThan(1010);
    expect(long.usage.outputTokens).toBeGreaterThan(short.usage.outputTokens);
    expect(short.costUsd).toBeCloseTo(short.usage.totalTokens);
  });

  it('is free when nothing had arrived of it', async () => {
    for (const error of [closed, () => Object.assign(new Error('busy'), { statusCode: 529 })]) {
      const result = await streamed(breakingModel([], error));
      expect(result.output).toBe('ok');
      expect(result.estimated).toBeUndefined();
      expect(result.usage.totalTokens).toBe(2000);
    }
  });
});

describe('an answer that is not streamed', () => {
  const usage = { inputTokens: 1000, outputTokens: 1000 };
  const run = (error: string | object) =>
    runAgent({ model: scriptedModel([{ error } as never, { text: 'ok', usage }]), prompt, retry, prices });

  it('is charged by estimate when its connection closes in the middle of a good response', async () => {
    const result = await run('stream_cut');
    expect(result.output).toBe('ok');
    expect(result.estimated).toBe(true);
    expect(result.usage.inputTokens).toBeGreaterThan(1010);
    expect(result.usage.outputTokens).toBe(1000);
  });

  it('is free when the call failed before', async () => {
    for (const error of ['network', { status: 429 }, { status: 500 }]) {
      const result = await run(error);
      expect(result.output).toBe('ok');
      expect(result.estimated).toBeUndefined();
      expect(result.usage.totalTokens).toBe(2000);
    }
  });

  it('is charged with what the provider reports when it makes no sense', async () => {
    const whole = scriptedModel([{ text: 'ok', usage }]);
    let calls = 0;
    const broken = { content: [{ type: 'tool-call', input: '{}' }], finishReason: 'stop', usage, warnings: [] };
    const doGenerate = (options: never) => (++calls === 1 ? Promise.resolve(broken) : whole.doGenerate(options));
    const model = { ...whole, doGenerate } as unknown as LanguageModel;
    const result = await runAgent({ model, prompt, retry, prices });
    expect(result.output).toBe('ok');
    expect(result.usage.totalTokens).toBe(4000);
    expect(result.estimated).toBeUndefined();
  });
});
