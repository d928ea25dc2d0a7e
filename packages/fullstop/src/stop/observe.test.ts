import { describe, expect, it } from 'vitest';
import { contentMatch } from './conditions/content-match.js';
import { maxIterations } from './conditions/max-iterations.js';
import { observeCall, observeText } from './observe.js';

describe('observeCall', () => {
  it('returns the same key for the same arguments in another order', () => {
    const one = observeCall({ tool: 'search', input: { q: 'x', page: 1 }, result: '[]' });
    const other = observeCall({ tool: 'search', input: { page: 1, q: 'x' }, result: '[]' });
    expect(one.inputKey).toBe(other.inputKey);
    expect(one.resultKey).toBe(other.resultKey);
    expect(one.ok).toBe(true);
  });

  it('returns another key for another result', () => {
    const results = ['[1]', '[2]'].map((result) => observeCall({ tool: 'search', input: {}, result }).resultKey);
    expect(results[0]).not.toBe(results[1]);
  });

  it('keeps small arguments as evidence, and only the key of large ones', () => {
    expect(observeCall({ tool: 'write', input: { text: 'short' }, result: 'ok' }).input).toEqual({ text: 'short' });
    expect(observeCall({ tool: 'write', input: { text: 'x'.repeat(2_000) }, result: 'ok' })).not.toHaveProperty(
      'input',
    );
  });

  it('says what failed, and whether the model is to blame', () => {
    const error = { name: 'TypeError', message: 'q is missing' };
    const blamed = observeCall({
      tool: 'search',
      input: {},
      result: 'q is missing',
      error,
      mistake: 'bad_arguments',
    });
    expect(blamed).toMatchObject({ ok: false, error, mistake: 'bad_arguments' });
    expect(observeCall({ tool: 'search', input: {}, result: 'timed out', error })).not.toHaveProperty('mistake');
  });
});

describe('observeText', () => {
  const long = 'x'.repeat(25_000);

  it('keeps only the fingerprint where no condition reads texts', () => {
    expect(observeText(long, [maxIterations(3)])).toEqual({
      key: expect.stringMatching(/^[\w-]{10}$/),
      length: 25_000,
    });
  });

  it('keeps the last 10,000 characters for patterns and everything for a literal text', () => {
    expect(observeText(long, [contentMatch({ regExp: 'x' })]).content).toHaveLength(10_000);
    expect(observeText(long, [contentMatch({ regExp: 'x' }), contentMatch('y')]).content).toHaveLength(25_000);
  });

  it('ignores white space around a text, and knows a blank one', () => {
    expect(observeText(' done\n', []).key).toBe(observeText('done', []).key);
    expect(observeText(' \n', [])).toEqual({ key: '', length: 2 });
  });
});
