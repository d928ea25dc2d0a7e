import { expect, it } from 'vitest';
import { genAiProvider } from './gen-ai-provider.js';

it.each([
  ['openai.responses', 'openai'],
  ['anthropic.messages', 'anthropic'],
  ['google.generative-ai', 'gcp.gemini'],
  ['google.vertex.chat', 'gcp.vertex_ai'],
  ['azure.chat', 'azure.ai.openai'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['mistral.chat', 'mistral_ai'],
  ['xai.chat', 'x_ai'],
  ['ollama.chat', 'ollama'],
  ['', 'unknown'],
  [undefined, 'unknown'],
])('the provider %s is called %s by the GenAI conventions', (provider, name) => {
  expect(genAiProvider(provider)).toBe(name);
});
