import { describe, expect, it } from 'vitest';
import { table } from './table.js';

const columns = [
  { title: 'NAME', yields: 1, least: 4 },
  { title: 'COST', yields: 2, least: 4 },
  { title: 'SUMMARY', yields: 3, least: 8 },
] as const;
const rows = [['support-agent', '$0.0041', 'The model finished.']];

describe('a table', () => {
  it('is as wide as it needs to be where there is room', () => {
    expect(table({ columns, rows, width: 80 })[1]).toBe('support-agent  $0.0041  The model finished.');
  });

  it('shrinks the column that yields first', () => {
    expect(table({ columns, rows, width: 36 })[1]).toBe('support-agent  $0.0041  The model f…');
  });

  it('gives the others their room back when it drops a column', () => {
    expect(table({ columns, rows, width: 19 })[1]).toBe('support-agent  $0.…');
  });
});
