import { describe, expect, it } from 'vitest';
import type { RunRow } from '../api/contract.js';
import { addPage, applyRows, type RunPages } from './run-pages.js';

const row = (runId: string, startedAt: number, more: Partial<RunRow> = {}): RunRow => ({
  runId,
  name: 'n',
  version: '1',
  state: 'ended',
  segment: 1,
  startedAt,
  updatedAt: startedAt,
  look: { tone: 'success', word: 'natural_end', icon: '✓' },
  sentence: '',
  next: [],
  requests: 0,
  ...more,
});
const ids = ({ rows }: RunPages): readonly string[] => rows.map(({ runId }) => runId);
const pages: RunPages = { rows: [row('c', 30), row('b', 20)], next: 'cursor' };

describe('the pages of the list', () => {
  it('hold a run once that moved between two requests', () => {
    const more = addPage(pages, { rows: [row('b', 20), row('a', 10)] });
    expect(ids(more)).toEqual(['c', 'b', 'a']);
    expect(more.next).toBeUndefined();
  });

  it('replace what changed, in its place', () => {
    const changed = applyRows(pages, ['b'], [row('b', 20, { segment: 2 })]);
    expect(ids(changed)).toEqual(['c', 'b']);
    expect(changed.rows[1]?.segment).toBe(2);
  });

  it('drop a run that was asked for and did not come, since it no longer fits', () => {
    expect(ids(applyRows(pages, ['c'], []))).toEqual(['b']);
  });

  it('put a new run where it belongs, newest first', () => {
    expect(ids(applyRows(pages, ['d'], [row('d', 40)]))).toEqual(['d', 'c', 'b']);
    expect(ids(applyRows(pages, ['x'], [row('x', 25)]))).toEqual(['c', 'x', 'b']);
  });

  it('leave a run that stands on a page that was not read yet to that page', () => {
    expect(ids(applyRows(pages, ['old'], [row('old', 5)]))).toEqual(['c', 'b']);
    expect(ids(applyRows({ rows: pages.rows }, ['old'], [row('old', 5)]))).toEqual(['c', 'b', 'old']);
  });
});
