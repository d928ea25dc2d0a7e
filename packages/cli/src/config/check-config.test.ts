import { describe, expect, it } from 'vitest';
import { configProblems } from './check-config.js';

describe('configProblems', () => {
  it('finds nothing wrong with everything that there is', () => {
    const config = {
      store: 'runs.db',
      provider: 'openai',
      model: 'gpt-5',
      models: { 'gpt-4o': 'openai/gpt-5' },
      prices: { 'house/writer': { inputPerMillion: 1, outputPerMillion: 2 } },
      secrets: ['API_KEY'],
      onEnding: { ops: { url: 'https://example.com', secret: 'whsec_x' } },
      defaults: { run: { 'skip-gates': true } },
    };
    expect(configProblems(config)).toEqual([]);
    expect(configProblems({})).toEqual([]);
  });

  it('names everything that is wrong, with what was meant', () => {
    expect(
      configProblems({
        stor: 'x',
        model: 5,
        models: { a: 1 },
        prices: { m: { inputPerMillion: -1, output: 2 } },
        secrets: 'KEY',
        onEnding: { ops: {} },
        defaults: { run: { x: [] } },
      }),
    ).toEqual([
      'stor is not a setting (did you mean "store"?)',
      'model must be a text, found 5',
      'models.a must be a text, found 1',
      'prices.m.output is not a setting (did you mean "outputPerMillion"?)',
      'prices.m.inputPerMillion must be a number of dollars, found -1',
      'prices.m.outputPerMillion must be a number of dollars, found nothing',
      'secrets must be a list, found "KEY"',
      'onEnding.ops.url must be a text, found nothing',
      'onEnding.ops.secret must be a text',
      'defaults.run.x must be a text, a number, true or false, found []',
    ]);
  });

  it('is no list and no text', () => {
    expect(configProblems([])).toHaveLength(1);
    expect(configProblems('x')).toHaveLength(1);
  });
});
