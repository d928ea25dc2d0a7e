import type { JournalEntry } from 'fullstop/journal';
import { describe, expect, it } from 'vitest';
import { journalPage } from './journal-page.js';

function noted(seq: number, text: string): JournalEntry {
  return { runId: 'r', segment: 1, seq, scope: '', ordinal: seq, at: seq, type: 'observed', data: { text } };
}

const same = (text: string): string => text;

describe('journalPage', () => {
  it('sends small entries whole, and of a large one the beginning and its size', () => {
    const journal = [noted(1, 'small'), noted(2, 'ü'.repeat(2_500_000))];
    const { entries } = journalPage({ journal }, {}, same);
    expect(entries[0]).toEqual(journal[0]);
    const { data, cut } = entries[1] ?? {};
    expect([data, cut?.bytes, cut?.head.length]).toEqual([undefined, 5_000_011, 4_000]);
    expect(cut?.head.startsWith('{"text":"üü')).toBe(true);
    expect(JSON.stringify(entries).length).toBeLessThan(10_000);
  });

  it('finds a text after the part that is sent', () => {
    const journal = [noted(1, 'small'), noted(2, `${'a'.repeat(50_000)} needle`)];
    expect(journalPage({ journal }, { q: 'NEEDLE' }, same).entries.map(({ seq }) => seq)).toEqual([2]);
  });

  it('hides secrets before it cuts, so that no part of one is left', () => {
    const secret = 'sk-0123456789';
    for (const place of [3_980, 3_985, 3_990, 3_995]) {
      const journal = [noted(1, `${'a'.repeat(place)}${secret}${'b'.repeat(30_000)}`)];
      const mask = (text: string): string => text.replaceAll(secret, '***');
      const [entry] = journalPage({ journal }, {}, mask).entries;
      expect(entry?.cut?.head).not.toContain('sk-');
    }
  });
});
