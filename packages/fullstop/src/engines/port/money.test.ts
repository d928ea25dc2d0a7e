import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUsd, fromNanoUsd, roundUsd, subtractUsd, toNanoUsd } from './money.js';

describe('money', () => {
  it('sums ten times ten cents to one dollar', () => {
    let sum = 0;
    for (let count = 0; count < 10; count += 1) sum = addUsd(sum, 0.1);
    expect(sum).toBe(1);
    expect(addUsd(0.141, 0.141)).toBe(0.282);
    expect(subtractUsd(0.3, 0.1)).toBe(0.2);
    expect(roundUsd(0.28200000000000003)).toBe(0.282);
  });

  it('returns every whole number of billionths unchanged, up to two million dollars', () => {
    const nanos = fc.integer({ min: 0, max: 2_000_000 * 1_000_000_000 });
    fc.assert(fc.property(nanos, (value) => toNanoUsd(fromNanoUsd(value)) === value));
  });

  it('does not depend on the order of a sum', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 1_000_000_000_000 }).map(fromNanoUsd), { maxLength: 50 });
    fc.assert(
      fc.property(amounts, (list) => {
        const sum = list.reduce(addUsd, 0);
        expect(list.toReversed().reduce(addUsd, 0)).toBe(sum);
        expect(String(sum)).toMatch(/^[\d.]{1,20}$|e-\d$/);
      }),
    );
  });
});
