import { describe, expect, it } from 'vitest';
import type { OutboxItem } from '../port/engine.js';
import { selectDueNotices, settleSchedule } from './notices.js';

function notice(id: string, dueAt: number): OutboxItem {
  return { id, runId: 'run', segment: 1, target: 'hook', payload: '{}', attempts: 0, dueAt };
}

describe('selectDueNotices', () => {
  it('selects what is due, oldest first and then by id, up to the limit', () => {
    const items = [notice('c', 2), notice('b', 2), notice('later', 11), notice('a', 10), notice('d', 1)];
    expect(selectDueNotices(items, 10, 3).map(({ id }) => id)).toEqual(['d', 'b', 'c']);
  });
});

describe('settleSchedule', () => {
  it('counts an attempt, or lets a notice that was delivered go', () => {
    expect(settleSchedule({ attempts: 1, dueAt: 5 }, 50)).toEqual({ attempts: 2, dueAt: 50 });
    expect(settleSchedule({ attempts: 1, dueAt: 5 }, undefined)).toBeUndefined();
  });
});
