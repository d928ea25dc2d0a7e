import { describe, expect, test } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { FencedError, type RunSession } from '../engines/port/engine.js';
import { randomFaults } from './fault-plan.js';
import { type FaultyEngine, faultyEngine } from './faulty-engine.js';
import { InjectedFault } from './faulty-session.js';
import { simulatedClock } from './simulated-clock.js';

const note = { type: 'emitted', scope: '', ordinal: 0, key: 'emit', at: 1, data: { event: 1 } } as const;

async function claimed(
  ...faults: Parameters<typeof faultyEngine>[1] & object
): Promise<{ engine: FaultyEngine; session: RunSession }> {
  const engine = faultyEngine(memoryEngine({ clock: simulatedClock() }), faults);
  await engine.start({ runId: 'r', name: 'n', version: '1' });
  return { engine, session: (await engine.claim('r', 'w')) as RunSession };
}

const typesOf = async (engine: FaultyEngine): Promise<readonly string[]> =>
  (await engine.journal('r')).map(({ type }) => type);

/** True when a promise settles within a few turns of the event loop. */
async function settles(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe('faultyEngine', () => {
  test('commits entries with a flush only', async () => {
    const { engine, session } = await claimed();
    session.append(note);
    expect(await typesOf(engine)).toEqual(['run_started']);
    await session.flush();
    expect(await typesOf(engine)).toEqual(['run_started', 'emitted']);
    expect(session.flush()).toBeUndefined();
  });

  test('fails the nth call and carries it out first when asked to', async () => {
    const { engine, session } = await claimed(
      { point: 'flush', effect: 'fail', nth: 2 },
      { point: 'flush', effect: 'fail_after', nth: 3 },
    );
    session.append(note);
    await session.flush();
    session.append(note);
    await expect(session.flush()).rejects.toBeInstanceOf(InjectedFault);
    expect(await typesOf(engine)).toHaveLength(2);
    session.append(note);
    await expect(session.flush()).rejects.toBeInstanceOf(InjectedFault);
    expect(await typesOf(engine)).toHaveLength(4);
    expect(engine.struck.map(({ effect }) => effect)).toEqual(['fail', 'fail_after']);
  });

  test('drops a crashed session without a word, and lets the next owner claim the run with what was committed', async () => {
    const { engine, session } = await claimed({ point: 'append', effect: 'crash', entry: 'emitted', nth: 2 });
    session.append(note);
    await session.flush();
    const lost = engine.lost('r');
    session.append(note);
    await lost;
    expect(await settles(session.flush() as Promise<void>)).toBe(false);
    const next = (await engine.claim('r', 'other')) as RunSession;
    expect(next.history.map(({ type }) => type)).toEqual(['run_started', 'emitted']);
    expect(next.recoveries).toBe(1);
    expect(await engine.claim('r', 'third')).toBeUndefined();
  });

  test('lets the next owner claim a run whose claim failed after it was made', async () => {
    const engine = faultyEngine(memoryEngine(), [{ point: 'claim', effect: 'fail_after' }]);
    await engine.start({ runId: 'r', name: 'run', version: '1' });
    await expect(engine.claim('r', 'first')).rejects.toBeInstanceOf(InjectedFault);
    expect(await engine.claim('r', 'second')).toBeDefined();
  });

  test('leaves the owner alone when the claim of another fails', async () => {
    const { engine, session } = await claimed({ point: 'claim', effect: 'fail_after', nth: 2 });
    await expect(engine.claim('r', 'other')).rejects.toBeInstanceOf(InjectedFault);
    session.append(note);
    await session.flush();
    expect(await typesOf(engine)).toEqual(['run_started', 'emitted']);
  });

  test('commits before it crashes when asked to', async () => {
    const { engine, session } = await claimed({ point: 'flush', effect: 'crash_after' });
    session.append(note);
    expect(await settles(session.flush() as Promise<void>)).toBe(false);
    expect(await typesOf(engine)).toEqual(['run_started', 'emitted']);
  });

  test('refuses every write of a fenced session and notifies it', async () => {
    const { engine, session } = await claimed();
    let notified = 0;
    session.onFenced(() => {
      notified += 1;
    });
    engine.fence('r');
    expect(notified).toBe(1);
    expect(() => session.append(note)).toThrow(FencedError);
    await expect(session.park(undefined)).rejects.toBeInstanceOf(FencedError);
    expect(await engine.claim('r', 'other')).toBeDefined();
  });

  test('delays a call by the clock of the engine', async () => {
    const { engine } = await claimed({ point: 'ending', effect: 'delay', delayMs: 5000 });
    const before = engine.clock.now();
    await engine.ending('r');
    expect(engine.clock.now() - before).toBe(5000);
  });

  test('draws the same faults from the same seed', () => {
    const options = { count: 50, within: 30 };
    expect(randomFaults(7, options)).toEqual(randomFaults(7, options));
    expect(randomFaults(7, options)).not.toEqual(randomFaults(8, options));
    expect(new Set(randomFaults(7, options).map(({ point }) => point))).toEqual(
      new Set(['append', 'conclude', 'flush']),
    );
  });
});
