import type { JournalEntry } from 'fullstop/journal';
import { describe, expect, it } from 'vitest';
import { type ModelChoice, modelChoice } from './model-choice.js';
import { modelsFor } from './model-options.js';

const none: ModelChoice = {
  provider: undefined,
  model: undefined,
  scripted: undefined,
  'allow-unknown-prices': false,
};

/** A journal whose run was started with a choice. */
const startedWith = (commandLine: Readonly<Record<string, string>>): readonly JournalEntry[] => [
  { type: 'run_started', data: { options: { commandLine } } } as unknown as JournalEntry,
];

describe('--model without --provider', () => {
  it('is the model of every agent, at the provider of the file', async () => {
    const models = await modelsFor({ options: { ...none, model: 'mine' }, config: {}, env: {}, cwd: '/' });
    expect(models).toMatchObject({ modelName: 'mine' });
    expect(models).not.toHaveProperty('model');
  });

  it('comes before the model of the configuration, which is only the default', async () => {
    const config = { model: 'usual' };
    const models = await modelsFor({ options: { ...none, model: 'mine' }, config, env: {}, cwd: '/' });
    expect(models).toMatchObject({ modelName: 'mine', defaultModel: 'usual' });
  });

  it('is asked at the provider that answered for the run before', () => {
    const journal = startedWith({ provider: 'openai', model: 'small' });
    expect(modelChoice({ ...none, model: 'large' }, journal, '/')).toMatchObject({
      provider: 'openai',
      model: 'large',
    });
    expect(modelChoice({ ...none, model: 'anthropic/large' }, journal, '/').provider).toBeUndefined();
    expect(modelChoice({ ...none, scripted: 'a.json' }, journal, '/').provider).toBeUndefined();
    expect(modelChoice(none, journal, '/')).toMatchObject({ provider: 'openai', model: 'small' });
  });
});
