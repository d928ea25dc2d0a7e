import { expect, test, vi } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { RunSession } from '../engines/port/engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { terminations } from '../termination/terminations.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import { defineRun } from './define-run.js';
import { crashLoop } from './segment/crash-loop.js';

const patiently = { interval: 1, timeout: 120_000 };

test('a run whose owners were alive but showed no sign of life ends with what is known of that, not as if they had died', () => {
  const lastSeenAt = Date.UTC(2026, 0, 2);
  const silent = { how: 'silent', process: '4711 on box', lastSeenAt } as const;
  const died = { how: 'died', process: '4712 on box', lastSeenAt } as const;
  const entry = { type: 'step_ended', seq: 7, key: 'fetch', at: Date.UTC(2026, 0, 1) } as unknown as JournalEntry;
  const { error } = crashLoop({ recoveries: 2, lostOwners: [silent, silent], history: [entry] });
  expect(error).toEqual({
    name: 'OwnerUnresponsive',
    code: 'OWNER_UNRESPONSIVE',
    message:
      'This run lost its process 2 times in a row, without writing an entry: each was alive but showed no sign of life for the time of its lease. A step that never yields, such as an endless loop, does that: run it isolated. The last one, process 4711 on box, was last seen at 2026-01-02T00:00:00.000Z. The last entry, number 7, is step_ended "fetch" of 2026-01-01T00:00:00.000Z.',
  });
  const mixed = crashLoop({ recoveries: 2, lostOwners: [silent, died], history: [] });
  expect(mixed.error).toMatchObject({ code: 'CRASH_LOOP', message: expect.stringContaining('1 times it was alive') });
  expect(crashLoop({ recoveries: 5, history: [] }).error.message).toBe(
    'The process died 5 times in a row while it executed this run, without writing an entry.',
  );
});

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
