import { describe, expect, it } from 'vitest';
import { findWaking, isReady } from './waking.js';

const parked = { state: 'parked', hasEnding: false, now: 10 } as const;
const answer = { type: 'answer', by: 'maria' } as const;
const cancel = { type: 'cancel', by: 'caller' } as const;

describe('findWaking', () => {
  it('is for parked runs only', () => {
    for (const state of ['ready', 'running', 'ended'] as const)
      expect(findWaking({ ...parked, state, wakeAt: 1 }, [answer])).toBeUndefined();
  });

  it('finds the oldest message before the time', () => {
    expect(findWaking({ ...parked, wakeAt: 10 }, [answer, cancel])).toEqual({
      because: 'answer',
      by: 'maria',
      opensSegment: false,
    });
  });

  it('passes over an answer that the last owner had, but not over a wish to cancel', () => {
    expect(findWaking(parked, [{ ...answer, known: true }])).toBeUndefined();
    expect(
      findWaking(parked, [
        { ...answer, known: true },
        { ...cancel, known: true },
      ]),
    ).toMatchObject({ because: 'cancel', by: 'caller' });
  });

  it('wakes when the time has come, and opens a segment after a paused ending', () => {
    expect(findWaking({ ...parked, wakeAt: 11 }, [])).toBeUndefined();
    expect(findWaking({ ...parked, wakeAt: 10, hasEnding: true }, [])).toEqual({
      because: 'expiry',
      opensSegment: true,
    });
  });
});

describe('isReady', () => {
  it.each([
    ['sleeps', { ...parked, wakeAt: 11 }, false],
    ['waits for a message', parked, false],
    ['is due', { ...parked, wakeAt: 10 }, true],
    ['has an ending', { ...parked, hasEnding: true }, true],
    ['is claimed', { ...parked, state: 'running' }, true],
  ] as const)('for a run that %s', (_, facts, ready) => {
    expect(isReady(facts)).toBe(ready);
  });
});
