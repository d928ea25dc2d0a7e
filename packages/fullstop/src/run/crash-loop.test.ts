import { expect, test, vi } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { RunSession } from '../engines/port/engine.js';
import { terminations } from '../termination/terminations.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import { defineRun } from './define-run.js';

const patiently = { interval: 1, timeout: 120_000 };

test('a run whose owners die five times without an entry ends as a crash loop, and its body is left alone', async () => {
  let calls = 0;
  const run = defineRun({
    name: 'deadly',
    run: async (context) => {
      await context.step('kill', () => {
        calls += 1;
      });
      return terminations.naturalEnd();
    },
  });
  // Each strikes once, so that every owner meets one of them.
  const death = { point: 'append', effect: 'crash', entry: 'step_ended' } as const;
  const deaths = [death, death, death, death, death];
  const engine = faultyEngine(memoryEngine(), deaths);
  await engine.start({ runId: 'r', name: 'deadly', version: '1' });
  const next = (): Promise<RunSession> =>
    vi.waitUntil(() => engine.claim('r', 'worker') as Promise<RunSession>, patiently);
  for (const index of deaths.keys()) {
    void run.execute(await next(), engine);
    await vi.waitUntil(() => engine.struck.length === index + 1, patiently);
  }
  expect(await engine.ending('r')).toBeUndefined();
  await run.execute(await next(), engine);
  const ending = await engine.ending('r');
  expect(ending?.termination).toMatchObject({ kind: 'failed', origin: 'engine', error: { code: 'CRASH_LOOP' } });
  expect(ending?.open).toBe(true);
  expect(calls).toBe(5);
}, 300_000);
