import { describe, expect, it } from 'vitest';
import type { LanguageModel, ModelCallOptions, ModelVersion } from '../models/language-model.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { asVersion, versions } from '../models/versions.fixture.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import type { CallSettings, ModelSettings } from './options/model-settings.js';
import { runAgent } from './run-agent.js';

/** A model of a version, with what it was asked. */
function modelOf(version: ModelVersion, modelId: string, answers: readonly ScriptAnswer[]) {
  const asked: ModelCallOptions[] = [];
  const inner = asVersion(scriptedModel(answers), version);
  const record = (options: ModelCallOptions): ModelCallOptions => {
    asked.push(options);
    return options;
  };
  const model: LanguageModel = {
    specificationVersion: version,
    provider: 'test',
    modelId,
    doGenerate: (options) => inner.doGenerate(record(options)),
    doStream: (options) => inner.doStream(record(options)),
  };
  return { model, asked };
}

const all: Required<Omit<CallSettings, 'reasoning'>> = {
  maxOutputTokens: 100,
  temperature: 0.5,
  topP: 0.9,
  topK: 40,
  frequencyPenalty: 0.1,
  presencePenalty: 0.2,
  seed: 7,
  stopSequences: ['END'],
  headers: { 'x-tenant': 'a' },
  providerOptions: { openai: { reasoningEffort: 'low' } },
};

describe('settings', () => {
  it.each(versions)('all go to a model of %s, streamed or not', async (version) => {
    for (const onDelta of [undefined, () => undefined]) {
      const { model, asked } = modelOf(version, 'm', [{ text: 'done' }]);
      const settings: ModelSettings = version === 'v4' ? { ...all, reasoning: 'high' } : all;
      const result = await runAgent({ model, prompt: 'go', settings, ...(onDelta && { onDelta }) });
      expect(result.termination.kind).toBe('natural_end');
      const { providerOptions, ...rest } = settings;
      expect(asked).toMatchObject([{ ...rest, providerOptions: { ...providerOptions, fullstop: { agent: 'agent' } } }]);
    }
  });

  it.each(versions)('are different for a fallback model of %s', async (version) => {
    const first = modelOf(version, 'first', [{ error: { status: 500 } }]);
    const second = modelOf(version, 'second', [{ text: 'done' }]);
    const result = await runAgent({
      model: first.model,
      fallbackModels: [second.model],
      retry: { attempts: 1 },
      prompt: 'go',
      settings: {
        ...all,
        perModel: {
          second: {
            temperature: 1,
            maxOutputTokens: 500,
            headers: { 'x-model': '2' },
            providerOptions: { openai: { user: 'u' } },
          },
        },
      },
    });
    expect(result.termination.kind).toBe('natural_end');
    expect(first.asked).toMatchObject([{ temperature: 0.5, maxOutputTokens: 100, headers: { 'x-tenant': 'a' } }]);
    expect(second.asked).toMatchObject([
      {
        temperature: 1,
        topP: 0.9,
        maxOutputTokens: 500,
        headers: { 'x-tenant': 'a', 'x-model': '2' },
        providerOptions: { openai: { reasoningEffort: 'low', user: 'u' } },
      },
    ]);
  });

  it('of a model are bounded by the budgets, and raised when thinking used them up', async () => {
    const usage = { inputTokens: 10, outputTokens: 20 };
    const { model, asked } = modelOf('v3', 'm', [
      { error: 'length', text: '', usage },
      { text: 'done', usage },
    ]);
    const perModel = { 'test/m': { maxOutputTokens: 20 } };
    const bounded = modelOf('v3', 'm', [{ text: 'done', usage }]);
    await runAgent({
      model: bounded.model,
      prompt: 'go',
      settings: { perModel },
      stopWhen: [tokenBudget({ total: 15 }), maxIterations(3)],
    });
    expect(bounded.asked[0]?.maxOutputTokens).toBe(15);
    const result = await runAgent({ model, prompt: 'go', settings: { perModel } });
    expect(result.termination.kind).toBe('natural_end');
    expect(asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([20, 80]);
  });

  it('name the cap of the model that was cut off, and a resume raises it', async () => {
    const { model, asked } = modelOf('v3', 'm', [{ error: 'length', text: 'half' }, { text: 'whole' }]);
    const settings = { maxOutputTokens: 500, perModel: { m: { maxOutputTokens: 30 } } };
    const first = await runAgent({ model, prompt: 'go', settings });
    expect(first.termination).toMatchObject({ kind: 'output_truncated', cap: 30 });
    const ended = await first.resume({ settings: { maxOutputTokens: 600 } });
    expect(ended.text).toBe('whole');
    expect(asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([30, 600]);
  });

  it.each<[object, RegExp]>([
    [{ frequencyPenalty: 'a' }, /frequencyPenalty is/],
    [{ reasoning: 'much' }, /reasoning is .*"provider-default" or "none"/],
    [{ reasoning: 'high' }, /reasoning is .*test\/m \(v3\) has no such setting.*providerOptions/],
    [{ perModel: { m: { reasoning: 'high' } } }, /perModel is .*has no such setting/],
    [{ perModel: { other: {} } }, /perModel is "other".*test\/m, m/],
    [{ perModel: { m: { temprature: 1 } } }, /settings\.perModel\[m\] has no option "temprature"/],
    [{ headers: 'a' }, /headers is/],
  ])('that mean nothing are refused: %j', async (settings, message) => {
    const { model } = modelOf('v3', 'm', [{ text: 'done' }]);
    await expect(runAgent({ model, prompt: 'go', settings: settings as ModelSettings })).rejects.toThrow(message);
  });
});
