/** How a provider is loaded: which package, which function of it, and which settings from the environment. */
export interface ProviderRow {
  readonly package: string;
  /** The function of the package that makes the provider. */
  readonly create: string;
  /** True for a package that serves many providers and needs the name of the one it is for. */
  readonly named?: boolean;
  /** Variables that may hold the key, best first; none for a provider that needs no key. */
  readonly keys: readonly string[];
  /** Whether it is an error when there is no key; true unless given. */
  readonly keyRequired?: boolean;
  /** Where its requests go, where that is not known to the package. */
  readonly baseUrl?: string;
  /** Variables that may say where requests go. */
  readonly baseUrlVariables?: readonly string[];
  /** Other settings that it cannot do without, with their variables; unless there is a base URL. */
  readonly settings?: Readonly<Record<string, string>>;
}

const compatible = { package: '@ai-sdk/openai-compatible', create: 'createOpenAICompatible', named: true } as const;

/** Every provider that `loadModel` knows by name. */
export const providerTable: Readonly<Record<string, ProviderRow>> = {
  anthropic: {
    package: '@ai-sdk/anthropic',
    create: 'createAnthropic',
    keys: ['ANTHROPIC_API_KEY'],
    baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  },
  azure: {
    package: '@ai-sdk/azure',
    create: 'createAzure',
    keys: ['AZURE_API_KEY'],
    settings: { resourceName: 'AZURE_RESOURCE_NAME' },
  },
  cerebras: { package: '@ai-sdk/cerebras', create: 'createCerebras', keys: ['CEREBRAS_API_KEY'] },
  cohere: { package: '@ai-sdk/cohere', create: 'createCohere', keys: ['COHERE_API_KEY'] },
  deepseek: { package: '@ai-sdk/deepseek', create: 'createDeepSeek', keys: ['DEEPSEEK_API_KEY'] },
  fireworks: { package: '@ai-sdk/fireworks', create: 'createFireworks', keys: ['FIREWORKS_API_KEY'] },
  google: {
    package: '@ai-sdk/google',
    create: 'createGoogleGenerativeAI',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  },
  groq: { package: '@ai-sdk/groq', create: 'createGroq', keys: ['GROQ_API_KEY'] },
  mistral: { package: '@ai-sdk/mistral', create: 'createMistral', keys: ['MISTRAL_API_KEY'] },
  ollama: {
    ...compatible,
    keys: [],
    baseUrl: 'http://localhost:11434/v1',
    baseUrlVariables: ['OLLAMA_BASE_URL'],
  },
  openai: {
    package: '@ai-sdk/openai',
    create: 'createOpenAI',
    keys: ['OPENAI_API_KEY'],
    baseUrlVariables: ['OPENAI_BASE_URL'],
  },
  'openai-compatible': {
    ...compatible,
    keys: ['OPENAI_COMPATIBLE_API_KEY'],
    keyRequired: false,
    baseUrlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
    settings: { baseURL: 'OPENAI_COMPATIBLE_BASE_URL' },
  },
  openrouter: { ...compatible, keys: ['OPENROUTER_API_KEY'], baseUrl: 'https://openrouter.ai/api/v1' },
  perplexity: { package: '@ai-sdk/perplexity', create: 'createPerplexity', keys: ['PERPLEXITY_API_KEY'] },
  togetherai: {
    package: '@ai-sdk/togetherai',
    create: 'createTogetherAI',
    keys: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'],
  },
  xai: { package: '@ai-sdk/xai', create: 'createXai', keys: ['XAI_API_KEY'] },
};
