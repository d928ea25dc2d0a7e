import { describe, expect, test } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { delegateEngine } from '../engines/port/delegate-engine.js';
import type { Engine } from '../engines/port/engine.js';
import { ConformanceFailure, checkEqual, checkPresent, checkRefused } from './check.js';
import { engineConformance } from './engine-conformance.js';
import { simulatedClock } from './simulated-clock.js';

/** Runs a case on an engine that does something wrong. */
async function verdictOn(name: string, spoil: (engine: Engine) => Partial<Engine>): Promise<unknown> {
  const clock = simulatedClock();
  const engine = memoryEngine({ clock });
  const spoiled: Engine = { ...delegateEngine(engine), ...spoil(engine) };
  const found = checkPresent(
    engineConformance.find((each) => each.name === name),
    name,
  );
  return found.run({ clock, alwaysReplay: false, open: async () => spoiled, openEmpty: async () => spoiled }).then(
    () => 'passed',
    (error: unknown) => error,
  );
}

describe('engineConformance', () => {
  test('has a different name for every case', () => {
    expect(new Set(engineConformance.map(({ name }) => name)).size).toBe(engineConformance.length);
  });

  test('finds an engine that loses the first answer', async () => {
    const verdict = await verdictOn('returns a receipt to every answerer', () => ({
      answer: async () => ({ status: 'unknown' }),
    }));
    expect(verdict).toBeInstanceOf(ConformanceFailure);
  });

  test('finds an engine that returns the newest runs last', async () => {
    const verdict = await verdictOn('lists runs by filters and in pages', (engine) => ({
      list: async (filter) => {
        const page = await engine.list(filter);
        return { ...page, runs: [...page.runs].reverse() };
      },
    }));
    expect(verdict).toBeInstanceOf(ConformanceFailure);
  });

  test('finds an engine whose journal has a second ending', async () => {
    const verdict = await verdictOn('does not cancel what has ended or is unknown', (engine) => ({
      journal: async (runId, query) => {
        const entries = await engine.journal(runId, query);
        return [...entries, ...entries.slice(-1)];
      },
    }));
    expect(String(verdict)).toContain('broken');
  });
});

describe('the checks', () => {
  test('compare values whatever the order of their keys, and say both', () => {
    expect(() => checkEqual({ a: 1, b: [2] }, { b: [2], a: 1 }, 'it')).not.toThrow();
    expect(() => checkEqual({ a: 1 }, { a: 2 }, 'it')).toThrow('it: expected {"a":2}, found {"a":1}');
    expect(() => checkEqual(undefined, 1, 'it')).toThrow('it: expected 1, found nothing');
  });

  test('distinguish a refusal from another error and from none', async () => {
    await expect(checkRefused(Promise.resolve(), 'RUN_CLOSED')).rejects.toThrow('but the call went through');
    await expect(checkRefused(Promise.reject(new Error('other')), 'RUN_CLOSED')).rejects.toThrow('found Error: other');
  });
});
