import { describe, expect, test } from 'vitest';
import type { EntryType, JournalEntry } from '../../engines/port/journal-entry.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { ActiveTime } from './active-time.js';
import { resumedKey } from './active-timeline.js';

function entry(type: EntryType, at: number, more: object = {}): JournalEntry {
  return {
    runId: 'r',
    segment: 1,
    seq: at,
    scope: '',
    ordinal: 0,
    type,
    at,
    data: {},
    ...more,
  } as unknown as JournalEntry;
}

const ended = (at: number, durationMs: number): JournalEntry =>
  entry('segment_ended', at, { data: { envelope: { durationMs } } });

describe('ActiveTime', () => {
  test('counts from when the run is executed, not from when it was started', async () => {
    const clock = simulatedClock(5000, { auto: false });
    const active = new ActiveTime(clock, [entry('run_started', 0)]);
    await clock.advance(50);
    expect(active.ms()).toBe(50);
    expect(active.takeUnsaid(0)).toEqual({ at: 5050, data: { activeMs: 50 } });
  });

  test('counts the moment from the start to the first owner, for which no entry is written', async () => {
    const clock = simulatedClock(1000, { auto: false });
    const active = new ActiveTime(clock, [entry('run_started', 990)]);
    await clock.advance(50);
    expect([active.ms(), active.takeUnsaid(0)]).toEqual([60, undefined]);
  });

  test('continues with what earlier segments took', async () => {
    const clock = simulatedClock(1000, { auto: false });
    const active = new ActiveTime(clock, [
      entry('run_started', 0),
      entry('step_ended', 90),
      ended(100, 70),
      entry('segment_opened', 1000),
    ]);
    await clock.advance(5);
    expect(active.ms()).toBe(75);
  });

  test('leaves out the time between the last entry and a new owner, and says so once', async () => {
    const clock = simulatedClock(10_000, { auto: false });
    const active = new ActiveTime(clock, [entry('run_started', 0), entry('step_ended', 30), entry('step_ended', 80)]);
    await clock.advance(7);
    expect(active.ms()).toBe(87);
    expect([active.takeUnsaid(0), active.takeUnsaid(0)]).toEqual([{ at: 10_007, data: { activeMs: 87 } }, undefined]);
  });

  test('takes what an earlier owner said', () => {
    const clock = simulatedClock(10_000, { auto: false });
    const said = entry('observed', 5000, { key: resumedKey, data: { activeMs: 80 } });
    const active = new ActiveTime(clock, [
      entry('run_started', 0),
      entry('step_ended', 80),
      said,
      entry('step_ended', 5020),
    ]);
    expect(active.ms()).toBe(100);
  });

  test('counts a sleep that continued while nobody owned the run, but no longer than it lasted', () => {
    const slept = (now: number): number => {
      const started = entry('sleep_started', 100, { ordinal: 3, data: { until: 600 } });
      return new ActiveTime(simulatedClock(now), [entry('run_started', 0), started]).ms();
    };
    expect([slept(400), slept(600), slept(9000)]).toEqual([400, 600, 600]);
  });

  test('does not advance while everything waits for a person, with its alarms', async () => {
    const clock = simulatedClock(0, { auto: false });
    const active = new ActiveTime(clock, [entry('run_started', 0)]);
    const rang: number[] = [];
    active.callAt(100, () => rang.push(clock.now()));
    const stop = active.callAt(90, () => rang.push(-1));
    stop();
    await clock.advance(60);
    active.pause();
    active.pause();
    await clock.advance(1000);
    expect([active.ms(), rang]).toEqual([60, []]);
    active.resume();
    expect(active.nextAlarm).toBe(1100);
    await clock.advance(40);
    expect([active.ms(), rang]).toEqual([100, [1100]]);
    expect(active.takeUnsaid(0)).toEqual({ at: 1100, data: { activeMs: 100 } });
  });
});
