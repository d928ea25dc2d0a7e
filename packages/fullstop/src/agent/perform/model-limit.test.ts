import { describe, expect, it } from 'vitest';
import { host } from '../../engines/port/host.js';
import type { LanguageModel } from '../../models/language-model.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { fixedModel } from '../../models/versions.fixture.js';
import { timeout } from '../../stop/conditions/timeout.js';
import { type SimulatedClock, simulatedClock } from '../../testing/simulated-clock.js';
import { runAgent } from '../run-agent.js';

const minutes = 60_000;
const usual = 10 * minutes;

/** A model whose answers never come, or come a part at a time, with so many minutes before each. */
function slowModel(
  clock: SimulatedClock,
  ...pauses: readonly number[]
): LanguageModel & { readonly calls: () => number } {
  let calls = 0;
  const parts = [
    ...pauses.map((pause) => ({ pause, part: { type: 'text-delta', id: '0', delta: `${pause} ` } })),
    { pause: 0, part: { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} } },
  ];
  const stream = () => {
    const rest = [...parts];
    return new host.ReadableStream({
      async pull(controller) {
        const next = rest.shift();
        if (next === undefined) return controller.close();
        if (next.pause > 0) await clock.sleep(next.pause * minutes);
        controller.enqueue(next.part);
      },
    });
  };
  return {
    ...fixedModel({}),
    calls: () => calls,
    doGenerate: () => {
      calls += 1;
      return new Promise(() => undefined);
    },
    doStream: async () => {
      calls += 1;
      return { stream: stream() };
    },
  };
}

const retry = { initialDelayMs: 1 };
const onDelta = (): void => undefined;

describe('a model that nothing is heard of', () => {
  it('is given up after ten minutes, as often as there are attempts', async () => {
    const clock = simulatedClock();
    const model = slowModel(clock);
    const before = clock.now();
    const result = await runAgent({ model, prompt: 'go', retry, clock });
    expect(result.termination).toEqual({ kind: 'time_budget', scope: 'model', limitMs: usual, elapsedMs: usual });
    expect(result.category).toBe('capacity');
    expect(model.calls()).toBe(3);
    expect(clock.now() - before).toBeGreaterThanOrEqual(3 * usual);
    expect(clock.now() - before).toBeLessThan(3 * usual + minutes);
  });

  it('is followed by its fallback', async () => {
    const clock = simulatedClock();
    const fallbackModels = [scriptedModel([{ text: 'here' }])];
    const result = await runAgent({ model: slowModel(clock), fallbackModels, prompt: 'go', retry, clock });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.iterations).toMatchObject([{ attempts: 4 }]);
  });

  it('is not asked again where time limits are no reason to', async () => {
    const clock = simulatedClock();
    const model = slowModel(clock);
    const result = await runAgent({ model, prompt: 'go', retry: { on: ['error'] }, clock });
    expect(result.termination).toMatchObject({ kind: 'time_budget', scope: 'model' });
    expect(model.calls()).toBe(1);
  });

  it('ends the run by the time of the run where that is over before', async () => {
    const clock = simulatedClock();
    const stopWhen = [timeout({ run: '4m' })];
    const result = await runAgent({ model: slowModel(clock), prompt: 'go', retry, clock, stopWhen });
    expect(result.termination).toMatchObject({ kind: 'time_budget', scope: 'run', limitMs: 4 * minutes });
  });
});

describe('a stream', () => {
  it('may take as long as it likes while parts come', async () => {
    const clock = simulatedClock();
    const model = slowModel(clock, 9, 9, 9, 9, 9);
    const result = await runAgent({ model, prompt: 'go', retry, clock, onDelta });
    expect(result.text).toBe('9 9 9 9 9 ');
    expect(model.calls()).toBe(1);
  });

  it('is given up ten minutes after its last part', async () => {
    const clock = simulatedClock();
    const model = slowModel(clock, 9, 5, 11);
    const before = clock.now();
    const result = await runAgent({ model, prompt: 'go', retry: { attempts: 1 }, clock, onDelta });
    expect(result.termination).toEqual({ kind: 'time_budget', scope: 'model', limitMs: usual, elapsedMs: usual });
    expect(clock.now() - before).toBe(24 * minutes);
  });

  it('is given up at the limit of a condition, however much is heard of it', async () => {
    const clock = simulatedClock();
    const stopWhen = [timeout({ model: '20m' })];
    const model = slowModel(clock, 9, 9, 9);
    const result = await runAgent({ model, prompt: 'go', retry: { attempts: 1 }, clock, onDelta, stopWhen });
    expect(result.termination).toMatchObject({ kind: 'time_budget', scope: 'model', limitMs: 20 * minutes });
  });

  it('may be silent longer where a condition says so', async () => {
    const clock = simulatedClock();
    const stopWhen = [timeout({ model: '1h' })];
    const result = await runAgent({ model: slowModel(clock, 25), prompt: 'go', retry, clock, onDelta, stopWhen });
    expect(result.termination).toEqual({ kind: 'natural_end' });
  });

  it('may be silent for days where the limit is turned off', async () => {
    const clock = simulatedClock();
    const stopWhen = [timeout({ model: false })];
    const model = slowModel(clock, 3 * 24 * 60);
    const result = await runAgent({ model, prompt: 'go', retry, clock, onDelta, stopWhen });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(model.calls()).toBe(1);
  });
});

it('keeps one signal for the calls of a run, and makes another once it has expired', async () => {
  const clock = simulatedClock();
  const signals = new Set<unknown>();
  const inner = scriptedModel(
    [
      { toolCalls: [{ tool: 'look' }] },
      { text: 'late', delay: '11m' },
      { toolCalls: [{ tool: 'look' }] },
      { text: 'done' },
    ],
    { clock },
  );
  const model: LanguageModel = {
    ...fixedModel({}),
    doGenerate(options) {
      signals.add(options.abortSignal);
      return inner.doGenerate(options as never);
    },
  };
  const tools = { look: { execute: () => 'seen' } };
  const result = await runAgent({ model, tools, prompt: 'go', retry, clock });
  expect(result.text).toBe('done');
  expect(signals.size).toBe(2);
});
