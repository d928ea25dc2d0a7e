import { describe, expect, test } from 'vitest';
import { simulatedClock } from './simulated-clock.js';

describe('simulatedClock', () => {
  test('jumps to the next timer when nothing but clock waits is pending', async () => {
    const clock = simulatedClock(1000);
    await clock.sleep(86_400_000);
    expect(clock.now()).toBe(86_401_000);
  });

  test('calls timers of the same instant in the order they were set, each after what the one before set off', async () => {
    const clock = simulatedClock(0);
    const log: string[] = [];
    const wait = async (name: string, instant: number): Promise<void> => {
      await new Promise<void>((resolve) => {
        clock.callAt(instant, resolve);
      });
      log.push(`${name} woke`);
      await Promise.resolve();
      log.push(`${name} went on`);
    };
    await Promise.all([wait('a', 10), wait('b', 5), wait('c', 10), wait('d', 5)]);
    const order = ['b', 'd', 'a', 'c'].flatMap((name) => [`${name} woke`, `${name} went on`]);
    expect(log).toEqual(order);
  });

  test('does not jump while something else is under way', async () => {
    const clock = simulatedClock(0);
    let seen = -1;
    const work = clock.during(
      new Promise<void>((resolve) =>
        setTimeout(() => {
          seen = clock.now();
          resolve();
        }, 20),
      ),
    );
    await Promise.all([clock.sleep(1000), work]);
    expect(seen).toBe(0);
  });

  test('does not jump while someone uses it turn after turn', async () => {
    const clock = simulatedClock(0);
    let rang = false;
    clock.callAt(1000, () => {
      rang = true;
    });
    for (let turn = 0; turn < 50; turn += 1) {
      expect(clock.now()).toBe(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(rang).toBe(false);
  });

  test('moves only by hand when asked to', async () => {
    const clock = simulatedClock(0, { auto: false });
    const rang: number[] = [];
    for (const instant of [30, 10, 20]) clock.callAt(instant, () => rang.push(clock.now()));
    // Real time must not move it.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rang).toEqual([]);
    await clock.advance(20);
    expect([rang, clock.now()]).toEqual([[10, 20], 20]);
    await clock.advance(5);
    expect([rang, clock.now()]).toEqual([[10, 20], 25]);
  });

  test('waits for what a timer sets off before it goes further', async () => {
    const clock = simulatedClock(0, { auto: false });
    const log: number[] = [];
    const tick = async (): Promise<void> => {
      for (let index = 0; index < 5; index += 1) {
        await clock.sleep(10);
        log.push(clock.now());
      }
    };
    void tick();
    await clock.advance(100);
    expect(log).toEqual([10, 20, 30, 40, 50]);
  });

  test('never goes back, and calls what is due in the past at once', async () => {
    const clock = simulatedClock(100);
    await new Promise<void>((resolve) => {
      clock.callAt(50, resolve);
    });
    expect(clock.now()).toBe(100);
  });

  test('does not call what was taken back', async () => {
    const clock = simulatedClock(0, { auto: false });
    let calls = 0;
    const take = clock.callAt(10, () => {
      calls += 1;
    });
    take();
    await clock.advance(20);
    expect(calls).toBe(0);
  });
});
