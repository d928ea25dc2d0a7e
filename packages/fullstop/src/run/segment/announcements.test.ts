import { describe, expect, it } from 'vitest';
import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { Announcements } from './announcements.js';

const entry = (ordinal: number): EntryDraft<'step_started'> => ({
  type: 'step_started',
  scope: '',
  ordinal,
  key: 'k',
  at: 0,
  data: { attempt: 1 },
});

describe('announcements', () => {
  it('of a commit are what came before it, also where that was nothing', () => {
    const told: number[] = [];
    const announcements = new Announcements([({ ordinal }) => void told.push(ordinal)]);
    const first = announcements.take();
    announcements.add(entry(1));
    const second = announcements.take();
    announcements.add(entry(2));
    announcements.notify(first);
    expect(told).toEqual([]);
    announcements.notify(second);
    expect(told).toEqual([1]);
    announcements.notify();
    announcements.notify();
    expect(told).toEqual([1, 2]);
  });

  it('reach every observer, whatever another one throws', () => {
    const told: number[] = [];
    const announcements = new Announcements([
      () => {
        throw new Error('no');
      },
      ({ ordinal }) => void told.push(ordinal),
    ]);
    announcements.add(entry(1));
    announcements.notify();
    expect(told).toEqual([1]);
  });
});
