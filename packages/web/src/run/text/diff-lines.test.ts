import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from './diff-lines.js';

describe('diffLines', () => {
  it('marks what was added and removed', () => {
    expect(diffLines(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual([
      { change: 'same', text: 'a' },
      { change: 'removed', text: 'b' },
      { change: 'added', text: 'x' },
      { change: 'same', text: 'c' },
    ]);
  });

  it('has both texts in it, whatever they are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after);
        const without = (change: string) => diff.filter((line) => line.change !== change).map(({ text }) => text);
        expect([without('added'), without('removed')]).toEqual([before, after]);
      }),
    );
  });
});
