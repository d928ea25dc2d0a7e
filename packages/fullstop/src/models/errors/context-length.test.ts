import { describe, expect, it } from 'vitest';
import { readContextLength } from './context-length.js';

/** Messages of providers, and the facts to be read from them. */
const sentences = [
  [
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 10,042 tokens. Please reduce the length of the messages.",
    { limit: 8192, used: 10_042 },
  ],
  [
    'OpenAI',
    "This model's maximum context length is 4097 tokens, however you requested 4927 tokens (3927 in your prompt; 1000 for the completion).",
    { limit: 4097, used: 4927 },
  ],
  [
    'OpenAI responses',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    {},
  ],
  [
    'vLLM',
    "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 5000 input tokens",
    { limit: 8192, used: 5000 },
  ],
  [
    'vLLM',
    "You passed 5000 input tokens and requested 4096 output tokens. However, the model's context length is only 8192 tokens",
    { limit: 8192, used: 9096 },
  ],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 150210 tokens (150000 of text input, 210 in the output).",
    { limit: 131_072, used: 150_210 },
  ],
  ['Anthropic', 'prompt is too long: 207791 tokens > 200000 maximum', { limit: 200_000, used: 207_791 }],
  [
    'Anthropic',
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    { limit: 200_000, used: 242_959 },
  ],
  [
    'Google',
    'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
    { limit: 1_048_576, used: 1_200_293 },
  ],
  ['Google', 'The input token count exceeds the maximum number of tokens allowed 1048576.', { limit: 1_048_576 }],
  [
    'xAI',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { limit: 131_072, used: 537_812 },
  ],
  [
    'Mistral',
    'Prompt contains 40123 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { limit: 32_768, used: 40_123 },
  ],
  [
    'Cohere',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.',
    { limit: 4081, used: 5000 },
  ],
  [
    'Hugging Face',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`',
    { limit: 4097, used: 5512 },
  ],
  ['Groq', 'Please reduce the length of the messages or completion.', {}],
  ['Amazon Bedrock', 'Input is too long for requested model.', {}],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it', {}],
  ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.', {}],
  ['Ollama', 'prompt too long; exceeded max context length by 4 tokens', {}],
] as const;

describe('a prompt that is too long', () => {
  it.each(sentences)('is recognised in the words of %s: %s', (_provider, message, expected) => {
    expect(readContextLength({ codes: [], messages: [message] })).toEqual(expected);
  });

  it.each(['context_length_exceeded', 'request_too_large', 'exceed_context_size_error'])(
    'is recognised by %s',
    (code) => {
      expect(readContextLength({ codes: ['invalid_request_error', code], messages: ['no'] })).toEqual({});
    },
  );

  it('has the numbers of the sentence even where there is a code', () => {
    const messages = ['prompt is too long: 2 tokens > 1 maximum'];
    expect(readContextLength({ codes: ['context_length_exceeded'], messages })).toEqual({ limit: 1, used: 2 });
  });

  it.each([
    'Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.',
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
    'The response was filtered.',
    "Invalid schema for function 'search': too long",
    '',
  ])('is not seen in: %s', (message) => {
    expect(readContextLength({ codes: [], messages: [message] })).toBeUndefined();
  });

  // A search that goes back over the text from every place in it would not reach its end within the test's time.
  it.each([
    ['maximum context length is 1 ', { limit: 1 }],
    ['maximum context length is ', undefined],
    ['tokens 1 > ', undefined],
  ])('is looked for once, however often a message says %j', (words, found) => {
    expect(readContextLength({ codes: [], messages: [words.repeat(40_000)] })).toEqual(found);
  });
});
