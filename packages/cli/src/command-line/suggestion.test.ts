import { describe, expect, it } from 'vitest';
import { suggestion } from './suggestion.js';

const known = ['run', 'runs', 'resume', 'retry', 'what-if', 'validate'];

describe('suggestion', () => {
  it.each([
    ['rnus', 'runs'],
    ['resmue', 'resume'],
    ['valdate', 'validate'],
    ['whatif', 'what-if'],
    ['val', 'validate'],
  ])('takes %s for %s', (word, meant) => {
    expect(suggestion(word, known)).toBe(` (did you mean "${meant}"?)`);
  });

  it('says nothing where nothing is close', () => {
    expect(suggestion('xyz', known)).toBe('');
    expect(suggestion('', known)).toBe('');
  });
});
