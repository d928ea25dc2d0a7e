import { describe, expect, it } from 'vitest';
import type { OutboxItem } from '../port/engine.js';
import { leaseUntil, selectDueNotices, selectLease, settleSchedule } from './notices.js';

function notice(id: string, dueAt: number): OutboxItem {
  return { id, runId: 'run', segment: 1, target: 'hook', payload: '{}', attempts: 0, dueAt };
}

describe('selectDueNotices', () => {
  it('selects what is due, oldest first and then by id, up to the limit', () => {
    const items = [notice('c', 2), notice('b', 2), notice('later', 11), notice('a', 10), notice('d', 1)];
    expect(selectDueNotices(items, 10, 3).map(({ id }) => id)).toEqual(['d', 'b', 'c']);
  });
});

describe('selectLease', () => {
  it('gives each target its own slots, and leaves other targets alone', () => {
    const items = ['a', 'b', 'c'].flatMap((target) =>
      [1, 2, 3].map((n) => ({ ...notice(`${target}${n}`, n), target })),
    );
    const lease = { until: 50, slots: { a: 2, b: 0, constructor: 5 } };
    expect(selectLease(items, 10, lease).map(({ id }) => id)).toEqual(['a1', 'a2']);
    expect(selectLease(items, 10, { ...lease, dueBy: 1 }).map(({ id }) => id)).toEqual(['a1']);
  });

  it('lasts until its end, and at least until the next moment', () => {
    expect(leaseUntil({ until: 50, slots: {} }, 10)).toBe(50);
    expect(leaseUntil({ until: 5, slots: {} }, 10)).toBe(11);
  });
});

describe('settleSchedule', () => {
  it('leaves a notice to whoever leased it since then, unless it was delivered', () => {
    const leasedAgain = { attempts: 1, dueAt: 90 };
    expect(settleSchedule(leasedAgain, 50, 60)).toEqual(leasedAgain);
    expect(settleSchedule(leasedAgain, 50, 90)).toEqual({ attempts: 2, dueAt: 50 });
    expect(settleSchedule(leasedAgain, undefined, 60)).toBeUndefined();
  });

  it('counts an attempt, or lets a notice that was delivered go', () => {
    expect(settleSchedule({ attempts: 1, dueAt: 5 }, 50)).toEqual({ attempts: 2, dueAt: 50 });
    expect(settleSchedule({ attempts: 1, dueAt: 5 }, undefined)).toBeUndefined();
  });
});
