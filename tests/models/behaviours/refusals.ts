import { expect } from 'vitest';
import type { Failure } from '../servers/reply.js';
import { type Behaviour, done, natural, start } from './behaviour.js';

const busy: Failure = { status: 429, message: 'Rate limit reached' };
const waiting = (headers: Record<string, string>): Failure => ({ ...busy, headers });
const later = (milliseconds: number): string => new Date(start + milliseconds).toUTCString();

/** Refusals that no later attempt would change. */
const final: readonly Behaviour[] = [
  {
    name: '401',
    replies: [{ status: 401, message: 'Incorrect API key provided', headers: { 'x-request-id': 'req_1' } }],
    ending: { kind: 'provider_auth', status: 401, message: 'Incorrect API key provided', requestId: 'req_1' },
    requests: 1,
  },
  {
    name: '403',
    replies: [{ status: 403, message: 'Country not supported' }],
    ending: { kind: 'provider_auth', status: 403, message: 'Country not supported' },
    requests: 1,
  },
  {
    name: 'no key',
    withoutKey: true,
    replies: [],
    ending: { kind: 'provider_auth', message: expect.stringContaining('OPENAI_API_KEY') },
    requests: 0,
    cells: {
      anthropic: { ending: { kind: 'provider_auth', message: expect.stringContaining('ANTHROPIC_API_KEY') } },
      'openai-compatible': 'this client needs no key: servers on the own machine have none',
    },
  },
  {
    name: '402',
    replies: [{ status: 402, message: 'Insufficient Balance' }],
    ending: { kind: 'provider_quota', status: 402, message: 'Insufficient Balance' },
    requests: 1,
  },
  {
    name: '429 for lack of quota',
    replies: [{ status: 429, message: 'You exceeded your current quota.', code: 'insufficient_quota' }],
    ending: { kind: 'provider_quota', status: 429, message: 'You exceeded your current quota.' },
    requests: 1,
  },
  {
    name: '400 for lack of credit',
    replies: [{ status: 400, message: 'Your credit balance is too low to access the API.' }],
    ending: { kind: 'provider_quota', status: 400 },
    requests: 1,
  },
  ...[400, 404, 422].map(
    (status): Behaviour => ({
      name: `${status}`,
      replies: [{ status, message: 'not like this', headers: { 'x-request-id': 'req_8' } }],
      ending: { kind: 'failed', error: { message: 'not like this', data: { status, requestId: 'req_8' } } },
      requests: 1,
    }),
  ),
  {
    name: 'a prompt that is too long',
    replies: [
      {
        status: 400,
        message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        code: 'context_length_exceeded',
      },
    ],
    ending: { kind: 'prompt_too_long', limit: 8192, used: 9000, status: 400 },
    requests: 1,
    cells: {
      anthropic: { replies: [{ status: 400, message: 'prompt is too long: 9000 tokens > 8192 maximum' }] },
    },
  },
  { name: '413', replies: [{ status: 413, message: 'Too large' }], ending: { kind: 'prompt_too_long' }, requests: 1 },
];

/** Refusals after which the same request may succeed. */
const passing: readonly Behaviour[] = [
  {
    name: '429 with Retry-After in seconds',
    replies: [waiting({ 'retry-after': '7' }), done],
    ending: natural,
    requests: 2,
    waitedMs: 7_000,
  },
  {
    name: '429 with Retry-After as a date',
    replies: [waiting({ 'retry-after': later(9_000) }), done],
    ending: natural,
    requests: 2,
    waitedMs: 9_000,
  },
  {
    name: '429 with retry-after-ms, which is more exact',
    replies: [waiting({ 'retry-after': '7', 'retry-after-ms': '250' }), done],
    ending: natural,
    requests: 2,
    waitedMs: 250,
  },
  {
    name: '429 with a Retry-After that is too long to wait for',
    replies: [waiting({ 'retry-after': '600', 'x-request-id': 'req_2' })],
    ending: { kind: 'provider_failed', status: 429, attempts: 1, retryAfterMs: 600_000, requestId: 'req_2' },
    requests: 1,
    waitedMs: 0,
  },
  {
    name: '429 with a Retry-After that is a date too far away',
    replies: [waiting({ 'retry-after': later(3_600_000) })],
    ending: { kind: 'provider_failed', status: 429, attempts: 1, retryAfterMs: 3_600_000 },
    requests: 1,
  },
  {
    name: '429 again and again',
    replies: [busy, busy, busy, done],
    ending: { kind: 'provider_failed', status: 429, attempts: 3, message: 'Rate limit reached' },
    requests: 3,
  },
  ...[500, 502, 503, 529].flatMap((status): readonly Behaviour[] => {
    const down: Failure = { status, message: 'Overloaded' };
    return [
      { name: `${status}, then an answer`, replies: [down, done], ending: natural, requests: 2 },
      {
        name: `${status} again and again`,
        replies: [down, down, down, done],
        ending: { kind: 'provider_failed', status, attempts: 3, message: 'Overloaded' },
        requests: 3,
      },
    ];
  }),
  {
    name: '500 that says not to retry',
    replies: [{ status: 500, message: 'No use', headers: { 'x-should-retry': 'false' } }],
    ending: { kind: 'provider_failed', status: 500, attempts: 1 },
    requests: 1,
  },
];

export const refusals: readonly Behaviour[] = [...final, ...passing];
