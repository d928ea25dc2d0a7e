import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { timeout } from '../stop/conditions/timeout.js';
import { simulatedClock } from '../testing/simulated-clock.js';
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
