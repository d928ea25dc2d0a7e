import { describe, expect, it } from 'vitest';
import { allKinds } from '../table.js';
import { suggestion } from './suggestion.js';

describe('suggestion', () => {
  it.each([
    ['max_iteration', 'max_iterations'],
    ['maxIterations', 'max_iterations'],
    ['max-iterations', 'max_iterations'],
    ['canceled', 'cancelled'],
    ['natural_ned', 'natural_end'],
    ['Failed', 'failed'],
    ['fialed', 'failed'],
    ['ocmplteed', 'completed'],
  ])('offers for %s the known word %s', (word, known) => {
    expect(suggestion(word, allKinds())).toBe(` (did you mean "${known}"?)`);
  });

  it.each(['', 'x', 'entirely_different_thing', '__proto__', 'z'.repeat(1_000_000)])(
    'offers nothing where no known word is near',
    (word) => {
      expect(suggestion(word, allKinds())).toBe('');
    },
  );
});
