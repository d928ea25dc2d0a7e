import { describe, expect, test } from 'vitest';
import { defineRun } from '../../run/define-run.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import type { RunSession } from '../port/engine.js';
import { memoryEngine } from './memory-engine.js';

// What every engine does is tested by the conformance suite; this is what only memory does, or what no run brings about.

const start = { runId: 'r', name: 'n', version: '1' };

describe('memoryEngine', () => {
  test('keeps plain results by reference', async () => {
    const value = { deep: { list: [1, 2, 3] } };
    const run = defineRun({
      name: 'reference',
      run: async (context) => {
        const seen = await context.step('make', () => value);
        return terminations.custom({ reason: String(seen === value), category: 'success' });
      },
    });
    expect((await run.run(undefined)).termination).toMatchObject({ reason: 'true' });
  });

  test('gives each run an engine of its own unless one is given', async () => {
    const run = defineRun({ name: 'private', run: async () => terminations.naturalEnd() });
    const [first, second] = await Promise.all([
      run.run(undefined, { runId: 'same' }),
      run.run(undefined, { runId: 'same' }),
    ]);
    expect([first.persisted, second.persisted]).toEqual([true, true]);
    expect(await first.journal()).toHaveLength(2);
  });

  test('hands a run to one owner only', async () => {
    const engine = memoryEngine();
    await engine.start(start);
    const claims = await Promise.all([engine.claim('r', 'a'), engine.claim('r', 'b'), engine.claim('nobody', 'c')]);
    expect(claims.filter((session) => session !== undefined)).toHaveLength(1);
  });

  test('wakes a parked run at its time or when a message comes', async () => {
    const clock = simulatedClock(0, { auto: false });
    const engine = memoryEngine({ clock });
    await engine.start(start);
    await ((await engine.claim('r', 'a')) as RunSession).park(1000);
    expect(await engine.claim('r', 'b')).toBeUndefined();
    const ready = engine.waitUntilReady('r');
    await clock.advance(1000);
    await ready;
    await ((await engine.claim('r', 'b')) as RunSession).park(undefined);
    await engine.cancel('r', { by: 'operator' });
    expect(await engine.claim('r', 'c')).toBeDefined();
  });

  test('does not keep a process alive for a deadline that nobody here waits for', async () => {
    const timers = new Set<object>();
    const clock = {
      now: () => 0,
      callAt: () => {
        const timer = {};
        timers.add(timer);
        return () => void timers.delete(timer);
      },
    };
    const engine = memoryEngine({ clock });
    const run = defineRun({
      name: 'gate',
      run: async (context) => {
        await context.wait({ id: 'go', type: 'gate', deadline: 1000 });
        return terminations.naturalEnd();
      },
    });
    await run.run(undefined, { engine, runId: 'g' });
    expect(timers.size).toBe(0);
    const worker = engine.worker([run]);
    expect(timers.size).toBe(1);
    await worker.stop(0);
    expect(timers.size).toBe(0);
    const controller = new AbortController();
    const waiting = engine.waitForEnding('g', 2, controller.signal);
    expect(timers.size).toBe(1);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(timers.size).toBe(0);
  });

  test('keeps a message until an entry has taken it, so that no owner can lose it', async () => {
    const engine = memoryEngine();
    await engine.start(start);
    const session = (await engine.claim('r', 'a')) as RunSession;
    const heard: string[] = [];
    session.listen(({ type }) => heard.push(`first ${type}`))();
    await engine.cancel('r', { by: 'operator' });
    session.listen(({ type }) => heard.push(`second ${type}`))();
    session.append({ type: 'cancel_requested', scope: '', ordinal: -1, at: 1, data: { by: 'operator' } });
    session.listen(({ type }) => heard.push(`third ${type}`));
    expect(heard).toEqual(['second cancel']);
  });

  test('stops waiting for an ending when the signal is aborted, before or while it waits', async () => {
    const engine = memoryEngine();
    await engine.start(start);
    const controller = new AbortController();
    const waiting = engine.waitForEnding('r', 1, controller.signal);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    await expect(engine.waitForEnding('r', 1, controller.signal)).rejects.toBe('enough');
    await expect(engine.waitForEnding('nobody', 1)).rejects.toThrow('nobody');
  });

  test('knows after an import who answered what, and when the next deadline passes', async () => {
    const clock = simulatedClock(0, { auto: false });
    const run = defineRun({
      name: 'asking',
      run: async (context) => {
        await context.wait({ id: 'first', type: 'input' });
        await context.wait({ id: 'second', type: 'input', deadline: 5000, onExpiry: 'reject' });
        return terminations.naturalEnd();
      },
    });
    const original = memoryEngine({ clock });
    await run.run(undefined, { engine: original, runId: 'q' });
    await run.resume('q', { engine: original, answers: { first: { decision: 'value', by: 'ann' } } });
    const copy = memoryEngine({ clock });
    expect(await copy.importRun(await original.journal('q'))).toBe('imported');
    expect(await copy.answer('q', 'first', { decision: 'value' })).toEqual({ status: 'already', at: 0, by: 'ann' });
    expect((await copy.summary('q'))?.startedAt).toBe((await original.summary('q'))?.startedAt);
    expect(await copy.claim('q', 'early')).toBeUndefined();
    await clock.advance(5000);
    expect(await copy.claim('q', 'due')).toBeDefined();
    await expect(copy.importRun([])).rejects.toThrow('run_started');
  });
});
