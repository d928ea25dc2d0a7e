import { expect, test } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { timeout } from '../stop/conditions/timeout.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';

/** A model that writes down when it is asked, and how many ask at once. */
function counting(answers: Parameters<typeof scriptedModel>[0], now: () => number) {
  const model = scriptedModel(answers, { exhausted: 'repeat-last' });
  const calls: number[] = [];
  let [active, most] = [0, 0];
  const counted: LanguageModel = {
    ...model,
    provider: 'acme.chat',
    doGenerate: async (call) => {
      calls.push(now());
      active += 1;
      most = Math.max(most, active);
      try {
        return await model.doGenerate(call);
      } finally {
        active -= 1;
      }
    },
  };
  return { model: counted, calls, most: () => most };
}

test('a pause that a provider asks of one run holds for all of them', async () => {
  const clock = simulatedClock();
  const engine = memoryEngine({ clock, providerLimits: { acme: {} } });
  const answers = { one: [{ error: { status: 429, retryAfter: '20s' } }, { text: 'a' }], two: [{ text: 'b' }] };
  const { model, calls } = counting(answers, () => clock.now());
  const [one, two] = ['one', 'two'].map((name) => defineAgent({ name, model })) as [
    ReturnType<typeof defineAgent>,
    ReturnType<typeof defineAgent>,
  ];
  const began = clock.now();
  const first = one.run('go', { engine });
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  const both = await Promise.all([first, two.run('go', { engine })]);
  expect(both.map(({ termination }) => termination.kind)).toEqual(['natural_end', 'natural_end']);
  // The first call alone came before the pause was over.
  expect(calls.filter((at) => at < began + 20_000)).toHaveLength(1);
  expect(calls).toHaveLength(3);
});

test('no more calls are under way than a provider allows', async () => {
  const engine = memoryEngine({ providerLimits: { acme: { concurrency: 2 } } });
  const { model, most } = counting({ '*': [{ text: 'x', delay: '20ms' }] }, Date.now);
  const agent = defineAgent({ name: 'many', model });
  await Promise.all(Array.from({ length: 6 }, () => agent.run('go', { engine })));
  expect(most()).toBe(2);
});

test('whoever waits for a turn can be cancelled, and its time budget counts', async () => {
  const engine = memoryEngine({ providerLimits: { acme: { perMinute: 1 } } });
  const { model, calls } = counting({ '*': [{ text: 'x' }] }, Date.now);
  const agent = defineAgent({ name: 'patient', model });
  await agent.run('go', { engine });
  const waiting = agent.run('go', { engine, runId: 'waiting' });
  await expect.poll(async () => (await engine.summary('waiting'))?.state).toBe('running');
  await engine.cancel('waiting', { by: 'operator' });
  expect((await waiting).termination).toMatchObject({ kind: 'cancelled', by: 'operator' });
  const hurried = defineAgent({ name: 'hurried', model, stopWhen: [timeout({ run: 50 })] });
  expect((await hurried.run('go', { engine })).termination).toMatchObject({ kind: 'time_budget', scope: 'run' });
  expect(calls).toHaveLength(1);
});

test('limits that mean nothing are refused', () => {
  expect(() => memoryEngine({ providerLimits: { acme: { concurrency: 0 } } })).toThrow(
    'memoryEngine: providerLimits.acme.concurrency is 0; it must be a whole number above 0.',
  );
  expect(() => memoryEngine({ providerLimits: { acme: { perHour: 1 } as never } })).toThrow(
    'memoryEngine: providerLimits.acme has perHour; it may have concurrency and perMinute.',
  );
});
