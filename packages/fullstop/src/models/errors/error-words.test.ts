import { expect, it } from 'vitest';
import { classifyModelError } from './classify-model-error.js';

it.each([
  ['Azure', { code: 'content_filter', message: 'The prompt was filtered.' }],
  ['OpenAI', { code: 'content_policy_violation', message: 'Rejected by our safety system.' }],
  ['Anthropic', { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' }],
])('the words of %s for an answer that its filter withheld are no fault of the request', (provider, error) => {
  const thrown = Object.assign(new Error(`400 ${error.message}`), { status: 400, error });
  expect(classifyModelError(thrown, { provider })).toMatchObject({ type: 'filtered', status: 400, retryable: false });
});
