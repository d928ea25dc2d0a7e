import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  NoSuchModelError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { RetryError } from 'ai';
import { describe, expect, it } from 'vitest';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { ModelCallError } from '../calls/model-call-error.js';
import { classifyModelError, type ModelFailure } from './classify-model-error.js';

const at = { provider: 'openai.chat', now: Date.parse('2026-03-01T12:00:00Z') };
const classify = (thrown: unknown): ModelFailure => classifyModelError(thrown, at);

/** An error as the AI SDK makes it of a response. */
function apiError(
  statusCode: number,
  options: { body?: unknown; headers?: Record<string, string>; message?: string } = {},
): APICallError {
  const { body, headers, message = `status ${statusCode}` } = options;
  return new APICallError({
    message,
    url: 'http://127.0.0.1/v1/chat/completions',
    requestBodyValues: {},
    statusCode,
    ...(headers !== undefined && { responseHeaders: headers }),
    ...(body !== undefined && { responseBody: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

const networkError = (code: string): Error =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(`connect ${code}`), { code }) });

describe('the status', () => {
  it.each([
    [401, 'auth', false],
    [402, 'quota', false],
    [403, 'auth', false],
    [413, 'context_length', false],
    [429, 'rate_limit', true],
    [408, 'unavailable', true],
    [409, 'unavailable', true],
    [425, 'unavailable', true],
    [500, 'unavailable', true],
    [502, 'unavailable', true],
    [503, 'unavailable', true],
    [529, 'unavailable', true],
    [400, 'invalid_request', false],
    [404, 'invalid_request', false],
    [422, 'invalid_request', false],
    [302, 'unknown', false],
  ] as const)('%i means %s', (status, type, retryable) => {
    const failure = classify(apiError(status));
    expect(failure).toMatchObject({ type, status, provider: 'openai.chat', retryable });
    expect(failure.error).toMatchObject({ name: 'AI_APICallError', message: `status ${status}` });
  });

  it('is found wherever a client keeps it', () => {
    for (const error of [
      { status: 503 },
      { statusCode: 503 },
      { response: { status: 503 } },
      { cause: { status: 503 } },
      { code: 503, message: 'x' },
    ]) {
      expect(classify(Object.assign(new Error('x'), error))).toMatchObject({ type: 'unavailable', status: 503 });
    }
  });

  it('of a provider behind a gateway is in the body', () => {
    expect(classify({ error: { code: 429, message: 'slow down' } })).toMatchObject({ type: 'rate_limit', status: 429 });
  });

  it('is that of the last attempt', () => {
    const errors = [apiError(429), apiError(500)];
    const error = new RetryError({ message: 'Failed after 2 attempts', reason: 'maxRetriesExceeded', errors });
    expect(classify(error)).toMatchObject({ type: 'unavailable', status: 500, error: { name: 'AI_RetryError' } });
  });
});

describe('the words of a provider', () => {
  it.each([
    [400, { error: { message: 'too long', code: 'context_length_exceeded' } }, 'context_length'],
    [
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' } },
      'context_length',
    ],
    [500, { error: { message: 'the request exceeds the available context size' } }, 'context_length'],
    [429, { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } }, 'quota'],
    [400, { error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } }, 'quota'],
    [
      400,
      [
        {
          error: {
            code: 400,
            status: 'INVALID_ARGUMENT',
            message: 'API key not valid.',
            details: [{ reason: 'API_KEY_INVALID' }],
          },
        },
      ],
      'auth',
    ],
    [429, { error: { message: 'maximum context length is 5 tokens. However, you requested 9 tokens' } }, 'rate_limit'],
    [400, { error: { message: 'bad schema', type: 'invalid_request_error' } }, 'invalid_request'],
  ] as const)('%i %j means %s', (status, body, type) => {
    expect(classify(apiError(status, { body }))).toMatchObject({ type, status });
  });

  it('give the tokens', () => {
    const body = {
      error: {
        message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      },
    };
    expect(classify(apiError(400, { body }))).toMatchObject({ limit: 8192, used: 9000 });
    expect(classify(apiError(400, { body, message: 'Bad Request' }))).toMatchObject({ limit: 8192, used: 9000 });
  });

  it.each([
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'unavailable'],
    [{ type: 'error', error: { type: 'rate_limit_error', message: 'no' } }, 'rate_limit'],
    [{ message: 'no', type: 'server_error', code: null }, 'unavailable'],
    [{ error: { status: 'RESOURCE_EXHAUSTED' } }, 'rate_limit'],
    ['context length exceeded', 'context_length'],
  ] as const)('in the middle of a stream %j mean %s', (thrown, type) => {
    expect(classify(thrown).type).toBe(type);
  });
});

describe('Retry-After', () => {
  it.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'Retry-After': '1.5' }, 1500],
    [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'x-ms-retry-after-ms': '125' }, 125],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{}, undefined],
  ] as const)('%j asks for %s ms', (headers, expected) => {
    expect(classify(apiError(429, { headers })).retryAfterMs).toBe(expected);
  });

  it('is read from headers that are asked by name', () => {
    const error = Object.assign(new Error('x'), { status: 429, headers: new Headers({ 'retry-after': '3' }) });
    expect(classify(error).retryAfterMs).toBe(3000);
  });

  it('may be in the body of Google', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }];
    expect(classify(apiError(429, { body: { error: { code: 429, details } } })).retryAfterMs).toBe(34_070);
  });

  it('does not matter when the provider says not to', () => {
    expect(classify(apiError(500, { headers: { 'x-should-retry': 'false' } })).retryable).toBe(false);
  });
});

describe('without a status', () => {
  const data = { message: 'Response stream ended without a finish reason.', data: undefined };

  it.each([
    ['ECONNRESET', networkError('ECONNRESET'), 'unavailable'],
    ['ENOTFOUND', networkError('ENOTFOUND'), 'unavailable'],
    ['a browser', new TypeError('Failed to fetch'), 'unavailable'],
    ['undici', new TypeError('terminated'), 'unavailable'],
    ['a timeout of its own', new DOMException('late', 'TimeoutError'), 'unavailable'],
    ['a cut stream', new ModelCallError('STREAM_CUT', 'x'), 'unavailable'],
    ['a stream without an end', new InvalidResponseDataError(data), 'unavailable'],
    [
      'network trouble',
      new APICallError({ message: 'x', url: '', requestBodyValues: {}, isRetryable: true }),
      'unavailable',
    ],
    ['no key', new LoadAPIKeyError({ message: 'x' }), 'auth'],
    ['no JSON', new JSONParseError({ text: '<html>', cause: new Error('x') }), 'malformed'],
    ['another shape', new TypeValidationError({ value: 1, cause: new Error('x') }), 'malformed'],
    ['nothing', new EmptyResponseBodyError(), 'malformed'],
    ['no answer', new ModelCallError('MALFORMED_ANSWER', 'x'), 'malformed'],
    ['no model', new NoSuchModelError({ modelId: 'x', modelType: 'languageModel' }), 'invalid_request'],
    ['no such feature', new UnsupportedFunctionalityError({ functionality: 'x' }), 'invalid_request'],
    ['misuse', new FullstopError('INVALID_OPTION', 'x'), 'unknown'],
    ['a defect', new TypeError('x is not a function'), 'unknown'],
    ['a word', 'nope', 'unknown'],
    ['nothing at all', undefined, 'unknown'],
  ] as const)('%s means it too', (_name, thrown, type) => {
    const failure = classify(thrown);
    expect(failure.type).toBe(type);
    expect(failure).not.toHaveProperty('status');
    expect(failure.retryable).toBe(type === 'unavailable' || type === 'malformed');
  });

  it('an answer that began well and is no JSON is malformed, one that broke off is not', () => {
    const cause = new JSONParseError({ text: '<html>', cause: new Error('x') });
    const base = { message: 'Invalid JSON response', url: '', requestBodyValues: {}, statusCode: 200 };
    expect(classify(new APICallError({ ...base, cause }))).toMatchObject({ type: 'malformed', retryable: true });
    expect(classify(new APICallError({ ...base, isRetryable: true }))).toMatchObject({ type: 'unavailable' });
    expect(classify(new APICallError(base))).toMatchObject({ type: 'malformed' });
    expect(classify(new APICallError(base))).not.toHaveProperty('status');
  });
});

describe('an abort', () => {
  it('is what the signal says, whatever was thrown', () => {
    const signal = AbortSignal.abort('enough');
    for (const thrown of ['enough', undefined, new Error('x'), apiError(500)]) {
      expect(classifyModelError(thrown, { ...at, signal })).toMatchObject({ type: 'aborted', retryable: false });
    }
  });

  it('is believed without a signal', () => {
    expect(classify(new DOMException('stop', 'AbortError')).type).toBe('aborted');
    const errors = [apiError(500), new DOMException('stop', 'AbortError')];
    expect(classify(new RetryError({ message: 'x', reason: 'abort', errors })).type).toBe('aborted');
  });

  it('that nobody asked for is an outage', () => {
    const { signal } = new AbortController();
    const failure = classifyModelError(new DOMException('stop', 'AbortError'), { ...at, signal });
    expect(failure).toMatchObject({ type: 'unavailable', retryable: true });
  });
});

describe('hostile errors', () => {
  const circular: { cause?: unknown; message: string } = { message: 'round' };
  circular.cause = circular;
  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
    },
  );

  it.each([
    circular,
    throwing,
    {
      get message(): string {
        throw new Error('no');
      },
    },
    Object.create(null),
    { responseBody: '{' },
    { headers: 5 },
    3n,
    Symbol('s'),
    () => 1,
  ])('are only unknown: %#', (thrown) => {
    expect(classify(thrown).type).toBe('unknown');
  });

  it('end as plain JSON', () => {
    const failure = classify(apiError(429, { headers: { 'retry-after': '1' } }));
    expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
  });
});

describe('recorded answers of providers', () => {
  const quota = 'You exceeded your current quota, please check your plan and billing details.';
  const balance = 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.';
  const anthropic = (type: string, message: string): object => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_011CSHoE',
  });

  it.each([
    [
      'openai: no quota',
      429,
      { error: { message: quota, type: 'insufficient_quota', param: null, code: 'insufficient_quota' } },
      { type: 'quota', message: quota },
    ],
    [
      'openai: billing',
      429,
      { error: { message: 'Your account is not active', type: 'billing_not_active', code: 'billing_not_active' } },
      { type: 'quota' },
    ],
    [
      'openai: rate limit',
      429,
      { error: { message: 'Rate limit reached for gpt-5', type: 'requests', code: 'rate_limit_exceeded' } },
      { type: 'rate_limit', retryable: true },
    ],
    [
      'openai: wrong key',
      401,
      {
        error: {
          message: 'Incorrect API key provided: sk-pr***nope.',
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        },
      },
      { type: 'auth' },
    ],
    [
      'openai: no such model',
      404,
      {
        error: { message: 'The model `gpt-9` does not exist', type: 'invalid_request_error', code: 'model_not_found' },
      },
      { type: 'invalid_request', message: 'The model `gpt-9` does not exist' },
    ],
    [
      'openai: unprocessable',
      422,
      { error: { message: 'bad schema' } },
      { type: 'invalid_request', message: 'bad schema' },
    ],
    [
      'anthropic: no credit',
      400,
      anthropic('invalid_request_error', balance),
      { type: 'quota', message: balance, requestId: 'req_011CSHoE' },
    ],
    ['anthropic: billing', 402, anthropic('billing_error', 'Payment required'), { type: 'quota' }],
    [
      'anthropic: wrong key',
      401,
      anthropic('authentication_error', 'invalid x-api-key'),
      { type: 'auth', message: 'invalid x-api-key' },
    ],
    ['anthropic: not allowed', 403, anthropic('permission_error', 'not yours'), { type: 'auth' }],
    [
      'anthropic: overloaded',
      529,
      anthropic('overloaded_error', 'Overloaded'),
      { type: 'unavailable', message: 'Overloaded' },
    ],
    [
      'anthropic: bad request',
      400,
      anthropic('invalid_request_error', 'max_tokens: must be > 0'),
      { type: 'invalid_request', message: 'max_tokens: must be > 0' },
    ],
    [
      'google: the free quota, which comes back',
      429,
      { error: { code: 429, message: quota, status: 'RESOURCE_EXHAUSTED' } },
      { type: 'rate_limit' },
    ],
  ] as const)('%s', (_, status, body, expected) => {
    const failure = classify(apiError(status, { body, message: 'what the client made of it' }));
    expect(failure).toMatchObject({ status, ...expected });
    expect(failure.error.data).toMatchObject({ status });
  });

  it.each(['x-request-id', 'request-id'])('have an id in %s', (header) => {
    const failure = classify(apiError(500, { headers: { [header]: 'req_7' }, body: {} }));
    expect(failure).toMatchObject({ requestId: 'req_7', error: { data: { status: 500, requestId: 'req_7' } } });
  });

  it('are not there when there is no key, and the message says which variable to set', () => {
    const message =
      "OpenAI API key is missing. Pass it using the 'apiKey' parameter or the OPENAI_API_KEY environment variable.";
    const failure = classify(new LoadAPIKeyError({ message }));
    expect(failure).toMatchObject({ type: 'auth', message });
    expect(failure).not.toHaveProperty('status');
  });

  it('leave the requests and headers of clients out of the error', () => {
    const failure = classify(
      apiError(400, { headers: { authorization: 'secret' }, body: { error: { message: 'no' } } }),
    );
    expect(JSON.stringify(failure)).not.toContain('secret');
  });
});

describe('the address that was asked', () => {
  const asked = (url: string): ModelFailure =>
    classify(new APICallError({ message: 'x', url, requestBodyValues: {}, statusCode: 503 }));

  it.each([
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1/chat/completions'],
    ['https://api.example.com/v1beta/models/m:stream?key=sk-secret', 'https://api.example.com/v1beta/models/m:stream'],
    ['https://user:sk-secret@gateway.example.com:8443/v1#sk-secret', 'https://gateway.example.com:8443/v1'],
  ])('%s is kept without query, fragment and credentials', (url, kept) => {
    const failure = asked(url);
    expect(failure.url).toBe(kept);
    expect(JSON.stringify(failure)).not.toContain('sk-secret');
  });

  it.each(['', 'no address', 'data:text/plain,sk-secret'])('%j is none', (url) => {
    expect(asked(url).url).toBeUndefined();
  });
});
