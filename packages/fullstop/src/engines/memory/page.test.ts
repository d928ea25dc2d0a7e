import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunSummary } from '../port/engine.js';
import { pageOf } from './page.js';

const summary = (runId: string, startedAt: number): RunSummary => ({
  runId,
  name: 'n',
  version: '1',
  state: 'ready',
  segment: 1,
  startedAt,
  updatedAt: startedAt,
});

describe('pageOf', () => {
  test('shows every run once over all pages, newest first, whatever the size of a page', () => {
    const runs = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 4 }), fc.nat({ max: 20 })), {
      selector: ([id]) => id,
      maxLength: 30,
    });
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 7 }), (given, limit) => {
        const all = given.map(([id, at]) => summary(id, at));
        const shown: RunSummary[] = [];
        for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
          const page = pageOf(all, { limit, ...(cursor !== undefined && { cursor }) });
          expect(page.runs.length).toBeLessThanOrEqual(limit);
          shown.push(...page.runs);
          cursor = page.next;
        }
        expect(shown).toHaveLength(all.length);
        expect(new Set(shown.map(({ runId }) => runId)).size).toBe(all.length);
        for (const [index, run] of shown.entries())
          expect(run.startedAt).toBeLessThanOrEqual(shown[index - 1]?.startedAt ?? Number.POSITIVE_INFINITY);
      }),
    );
  });

  test('gives 50 runs unless asked for more, and never more than 1000', () => {
    const many = Array.from({ length: 1500 }, (_, index) => summary(`r${index}`, index));
    expect(pageOf(many, {}).runs).toHaveLength(50);
    expect(pageOf(many, { limit: 5000 }).runs).toHaveLength(1000);
    for (const limit of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '5' as never])
      expect(() => pageOf(many, { limit })).toThrow(/^list: limit is .*; it must be a whole number above 0\.$/);
    expect(pageOf(many.slice(0, 50), {}).next).toBeUndefined();
  });
});
