import type { LanguageModelV2, LanguageModelV3 } from '@ai-sdk/provider';
import type { LanguageModel as AiSdkModel } from 'ai';
import { describe, expectTypeOf, test } from 'vitest';
import type { LanguageModel } from './language-model.js';
import type { ScriptedModel } from './scripted/scripted-model.js';

describe('models of the AI SDK', () => {
  test('of every version are models of ours, without a cast', () => {
    expectTypeOf<LanguageModelV2>().toExtend<LanguageModel>();
    expectTypeOf<LanguageModelV3>().toExtend<LanguageModel>();
    expectTypeOf<Exclude<AiSdkModel, string>>().toExtend<LanguageModel>();
  });

  test('that are only names are not', () => {
    expectTypeOf<string>().not.toExtend<LanguageModel>();
    expectTypeOf<
      Omit<LanguageModelV3, 'specificationVersion'> & { specificationVersion: 'v1' }
    >().not.toExtend<LanguageModel>();
  });

  test('can be a scripted one', () => {
    expectTypeOf<ScriptedModel>().toExtend<LanguageModel>();
    expectTypeOf<ScriptedModel>().toExtend<LanguageModelV3>();
  });
});
