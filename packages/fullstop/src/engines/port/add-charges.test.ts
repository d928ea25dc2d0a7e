import { describe, expect, it } from 'vitest';
import { addCharges, lessCharge } from './add-charges.js';

describe('a charge without what was booked of it', () => {
  it('has no rest of calculating with fractions', () => {
    expect(lessCharge({ costUsd: 0.3 }, { costUsd: 0.1 }).costUsd).toBe(0.2);
    const first = { inputTokens: 7, outputTokens: 3, costUsd: 0.1 };
    const later = { inputTokens: 1, outputTokens: 2, costUsd: 0.7 };
    expect(lessCharge(addCharges(first, later), first)).toEqual(later);
  });

  it('is never less than nothing, and unknown where the whole is', () => {
    expect(lessCharge({ costUsd: 0.1 }, { costUsd: 0.2 }).costUsd).toBe(0);
    expect(lessCharge({ inputTokens: 5, estimated: true }, {})).toEqual({
      inputTokens: 5,
      outputTokens: 0,
      estimated: true,
    });
  });
});
