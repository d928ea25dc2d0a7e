import { describe, expect, it } from 'vitest';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { type LanguageModel, readModel } from './language-model.js';
import { scriptedModel } from './scripted/scripted-model.js';
import { asVersion, versions } from './versions.fixture.js';

describe('readModel', () => {
  it.each(versions)('takes a model of specification %s', (version) => {
    const model = asVersion(scriptedModel([{ text: 'x' }]), version);
    expect(readModel(model)).toEqual({ provider: 'scripted', modelId: 'scripted', version, model });
  });

  it.each([
    ['v1', 'has specification version "v1"; supported are v2, v3 and v4'],
    ['v5', 'has specification version "v5"; supported are v2, v3 and v4'],
    [4, 'has specification version 4; supported are v2, v3 and v4'],
  ])('refuses version %s by name', (specificationVersion, message) => {
    const model = { ...scriptedModel([{ text: 'x' }]), specificationVersion } as unknown as LanguageModel;
    expect(() => readModel(model)).toThrow(`The model "scripted/scripted" ${message}`);
  });

  it.each([
    ['openai/gpt-5', 'Load it first: await loadModel("openai/gpt-5")'],
    [undefined, 'found nothing'],
    [null, 'found null'],
    [{}, 'something without a specificationVersion'],
    [() => undefined, 'a function; call it with the name of a model'],
    [{ specificationVersion: 'v3', provider: 'p', modelId: 'm' }, '"p/m" has no doGenerate or no doStream'],
  ])('says what %o is instead of a model', (value, message) => {
    try {
      readModel(value as unknown as LanguageModel);
      expect.unreachable();
    } catch (error) {
      expect(FullstopError.is(error) && error.code).toBe('UNSUPPORTED_MODEL');
      expect((error as Error).message).toContain(message);
    }
  });
});
