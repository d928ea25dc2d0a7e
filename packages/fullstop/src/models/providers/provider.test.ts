import { describe, expect, it, vi } from 'vitest';
import { FullstopError, type FullstopErrorCode } from '../../termination/errors/fullstop-error.js';
import { scriptedModel } from '../scripted/scripted-model.js';
import { type LoadModelOptions, loadModel, providerNames } from './provider.js';

interface Made {
  readonly package: string;
  readonly create: string;
  readonly settings: unknown;
  readonly modelId: string;
}

/** Packages that only write down how they were used. */
function fakePackages(): { readonly made: Made[]; readonly importPackage: LoadModelOptions['importPackage'] & object } {
  const made: Made[] = [];
  const importPackage = async (name: string): Promise<unknown> =>
    new Proxy({} as Record<string, unknown>, {
      get: (_target, create) =>
        // A namespace is awaited, and what has a then is waited for.
        create === 'then'
          ? undefined
          : (settings: unknown) => ({
              languageModel(modelId: string) {
                made.push({ package: name, create: String(create), settings, modelId });
                return scriptedModel([{ text: 'x' }], { modelId });
              },
            }),
    });
  return { made, importPackage };
}

const load = async (name: string, options: Partial<LoadModelOptions> = {}): Promise<Made | undefined> => {
  const { made, importPackage } = fakePackages();
  await loadModel(name, { env: {}, importPackage, ...options });
  return made[0];
};

describe('a model by name', () => {
  const compatible = { package: '@ai-sdk/openai-compatible', create: 'createOpenAICompatible' };

  it.each([
    [
      'openai/gpt-5',
      { OPENAI_API_KEY: 'k' },
      { package: '@ai-sdk/openai', create: 'createOpenAI', settings: { apiKey: 'k' } },
    ],
    [
      'anthropic/claude-sonnet-4-5',
      { ANTHROPIC_API_KEY: 'k' },
      { package: '@ai-sdk/anthropic', create: 'createAnthropic', settings: { apiKey: 'k' } },
    ],
    [
      'google/gemini-3-pro',
      { GEMINI_API_KEY: 'k' },
      { package: '@ai-sdk/google', create: 'createGoogleGenerativeAI', settings: { apiKey: 'k' } },
    ],
    [
      'azure/gpt-5',
      { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'r' },
      { package: '@ai-sdk/azure', create: 'createAzure', settings: { apiKey: 'k', resourceName: 'r' } },
    ],
    [
      'ollama/llama4:8b',
      {},
      { ...compatible, settings: { name: 'ollama', includeUsage: true, baseURL: 'http://localhost:11434/v1' } },
    ],
    [
      'openai-compatible/local',
      { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' },
      { ...compatible, settings: { name: 'openai-compatible', includeUsage: true, baseURL: 'http://127.0.0.1:1/v1' } },
    ],
    [
      'openrouter/meta/llama-4',
      { OPENROUTER_API_KEY: 'k' },
      {
        ...compatible,
        settings: { name: 'openrouter', includeUsage: true, apiKey: 'k', baseURL: 'https://openrouter.ai/api/v1' },
      },
    ],
  ])('%s comes from its package', async (name, env, expected) => {
    expect(await load(name, { env })).toEqual({ ...expected, modelId: name.slice(name.indexOf('/') + 1) });
  });

  it('takes a key, an address and settings that are given', async () => {
    const env = { OPENAI_API_KEY: 'from env', OPENAI_BASE_URL: 'http://env' };
    expect(await load('openai/gpt-5', { env })).toMatchObject({
      settings: { apiKey: 'from env', baseURL: 'http://env' },
    });
    const given = { apiKey: 'given', baseUrl: 'http://given', settings: { headers: { a: 'b' } } };
    expect(await load('openai/gpt-5', { env, ...given })).toMatchObject({
      settings: { apiKey: 'given', baseURL: 'http://given', headers: { a: 'b' } },
    });
  });

  it.each(providerNames)('%s has a row that can be loaded', async (provider) => {
    expect(await load(`${provider}/m`, { apiKey: 'k', baseUrl: 'http://127.0.0.1' })).toMatchObject({ modelId: 'm' });
  });
});

describe('a model that cannot be loaded', () => {
  const refusal = async (
    name: string,
    options: Partial<LoadModelOptions> = {},
    code: FullstopErrorCode = 'INVALID_OPTION',
  ): Promise<string> => {
    const error: unknown = await loadModel(name, {
      env: {},
      importPackage: fakePackages().importPackage,
      ...options,
    }).catch((thrown: unknown) => thrown);
    expect(FullstopError.is(error) && error.code).toBe(code);
    return (error as Error).message;
  };

  it.each([
    ['gpt-5', 'The model "gpt-5" has no provider; write provider/model, such as openai/gpt-5.'],
    ['openai/', 'has no provider'],
    ['/gpt-5', 'has no provider'],
    ['opnai/gpt-5', 'did you mean "openai"?'],
    ['acme/one', 'There is no provider "acme"; known are anthropic, azure'],
    ['constructor/x', 'There is no provider "constructor"'],
  ])('%s: %s', async (name, message) => {
    expect(await refusal(name)).toContain(message);
  });

  it('without a key says which variable to set', async () => {
    expect(await refusal('anthropic/x', {}, 'MODEL_KEY_MISSING')).toBe(
      'There is no key for anthropic: set ANTHROPIC_API_KEY, or pass apiKey.',
    );
    expect(await refusal('openai/x', { env: { OPENAI_API_KEY: '' } }, 'MODEL_KEY_MISSING')).toContain(
      'set OPENAI_API_KEY',
    );
    expect(await refusal('google/x', {}, 'MODEL_KEY_MISSING')).toContain(
      'set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY',
    );
  });

  it('looks into the environment of the process unless another is given', async () => {
    vi.stubEnv('MISTRAL_API_KEY', '');
    const options = { importPackage: fakePackages().importPackage };
    await expect(loadModel('mistral/x', options)).rejects.toThrow('set MISTRAL_API_KEY');
    vi.stubEnv('MISTRAL_API_KEY', 'k');
    expect(await loadModel('mistral/x', options)).toMatchObject({ modelId: 'x' });
    vi.unstubAllEnvs();
  });

  it('without an address says which variable to set', async () => {
    expect(await refusal('openai-compatible/x')).toBe(
      'openai-compatible has no address: set OPENAI_COMPATIBLE_BASE_URL, or pass baseUrl.',
    );
  });

  it('without the package says what to install', async () => {
    const missing = Object.assign(new Error("Cannot find package '@ai-sdk/cohere' imported from x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const importPackage = (): Promise<never> => Promise.reject(missing);
    expect(await refusal('cohere/x', { apiKey: 'k', importPackage }, 'MODEL_PACKAGE_MISSING')).toBe(
      'Models of cohere need the package @ai-sdk/cohere, which is not installed: npm install @ai-sdk/cohere',
    );
  });

  it('because the real package is not there', async () => {
    const error: unknown = await loadModel('cohere/x', { env: {}, apiKey: 'k' }).catch((thrown: unknown) => thrown);
    expect((error as Error).message).toContain('npm install @ai-sdk/cohere');
  });

  it('because the package itself is broken says that', async () => {
    const broken = new Error("Cannot find package 'zod' imported from elsewhere");
    const importPackage = (): Promise<never> => Promise.reject(broken);
    await expect(loadModel('openai/x', { env: {}, apiKey: 'k', importPackage })).rejects.toBe(broken);
  });

  it('because the package is of another time says that', async () => {
    expect(await refusal('openai/x', { apiKey: 'k', importPackage: async () => ({}) }, 'UNSUPPORTED_MODEL')).toContain(
      'has no createOpenAI',
    );
    const old = {
      createOpenAI: () => ({ languageModel: () => ({ specificationVersion: 'v1', provider: 'openai', modelId: 'x' }) }),
    };
    expect(await refusal('openai/x', { apiKey: 'k', importPackage: async () => old }, 'UNSUPPORTED_MODEL')).toContain(
      'specification version "v1"',
    );
  });
});
