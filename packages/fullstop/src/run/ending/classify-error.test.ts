import { describe, expect, test } from 'vitest';
import { classifyError } from './classify-error.js';

describe('classifyError', () => {
  test.each([
    ['external', { name: 'Error', message: '', code: 'ECONNRESET' }],
    [
      'external',
      { name: 'TypeError', message: 'fetch failed', cause: { name: 'Error', message: '', code: 'ENOTFOUND' } },
    ],
    ['external', { name: 'TimeoutError', message: '', code: 'STEP_TIMEOUT' }],
    ['resource', { name: 'Error', message: '', code: 'ENOSPC' }],
    ['configuration', { name: 'Error', message: '', code: 'ENOENT' }],
    ['configuration', { name: 'FullstopError', message: '', code: 'INVALID_LIMIT' }],
    ['internal', { name: 'TypeError', message: 'x is not a function' }],
    ['internal', { name: 'FullstopError', message: '', code: 'NOT_JSON' }],
    ['unknown', { name: 'Error', message: 'odd' }],
    ['unknown', { name: 'PaymentDeclined', message: '', code: 'DECLINED' }],
  ])('finds %s in %j', (expected, error) => {
    expect(classifyError(error)).toBe(expected);
  });
});
