import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from '../../packages/fullstop/src/models/language-model.js';

interface Access {
  readonly baseURL: string;
  readonly apiKey?: string;
}

/** The real clients, each with the protocol that it speaks. */
export const providers = {
  'openai chat': (access: Access): LanguageModel => createOpenAI(access).chat('gpt-test'),
  'openai responses': (access: Access): LanguageModel => createOpenAI(access).responses('gpt-test'),
  'openai-compatible': (access: Access): LanguageModel =>
    createOpenAICompatible({ name: 'compatible', includeUsage: true, ...access })('any-test'),
  anthropic: (access: Access): LanguageModel => createAnthropic(access)('claude-test'),
} as const;

export type ProviderName = keyof typeof providers;

export const providerNames = Object.keys(providers) as readonly ProviderName[];

export const ways = ['whole', 'streamed'] as const;

export type Way = (typeof ways)[number];
