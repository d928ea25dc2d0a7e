import { networkErrorCodes } from '../../engines/port/network-errors.js';
import type { ModelFailureType } from './classify-model-error.js';

interface Words {
  /** Names of error classes. The AI SDK's have a prefix, and several copies of them in one process are normal. */
  readonly names?: readonly string[];
  /** Codes and types, of errors of the platform or in the body of the provider's. */
  readonly codes?: readonly string[];
  readonly patterns?: readonly RegExp[];
}

/** The names of errors where there is no status. `context_length` has a table of its own. */
const words: Readonly<Partial<Record<ModelFailureType, Words>>> = {
  aborted: { names: ['AbortError', 'ResponseAborted'], codes: ['ABORT_ERR'] },
  auth: {
    names: ['AI_LoadAPIKeyError', 'AuthenticationError', 'PermissionDeniedError', 'GatewayAuthenticationError'],
    codes: [
      'invalid_api_key', // OpenAI
      'authentication_error', // Anthropic
      'permission_error',
      'MODEL_KEY_MISSING', // ours
      'API_KEY_INVALID', // Google: status 400
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
    ],
    patterns: [/api key not valid/i, /incorrect api key/i],
  },
  quota: {
    codes: [
      'insufficient_quota', // OpenAI: status 429, but waiting does not pay the bill
      'billing_not_active',
      'billing_hard_limit_reached',
      'billing_error', // Anthropic
      'BILLING_DISABLED', // Google: status 403
    ],
    // Without a code of their own: Anthropic with status 400, DeepSeek and gateways, xAI with status 403.
    patterns: [
      /credit balance is too low/i,
      /insufficient (?:account )?(?:balance|credits?|funds)/i,
      /used all available credits/i,
    ],
  },
  rate_limit: {
    names: ['RateLimitError', 'ThrottlingException', 'GatewayRateLimitError'],
    codes: ['rate_limit_error', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED', 'too_many_requests'],
  },
  unavailable: {
    names: ['TimeoutError', 'ConnectTimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError', 'SocketError'],
    codes: [
      'STREAM_CUT',
      'overloaded_error', // Anthropic
      'api_error',
      'timeout_error',
      'server_error', // OpenAI
      'UNAVAILABLE', // Google
      'INTERNAL',
      'DEADLINE_EXCEEDED',
      'ConnectionClosed', // Bun
      'ConnectionRefused',
      'FailedToOpenSocket',
      ...networkErrorCodes,
    ],
    patterns: [
      /\bfetch failed\b/i,
      /\bfailed to fetch\b/i,
      /^terminated$/,
      /socket hang up/i,
      /other side closed/i,
      /network error/i,
      /stream ended without a finish reason/i,
      /\boverloaded\b/i,
    ],
  },
  filtered: {
    codes: [
      'content_filter', // Azure
      'ResponsibleAIPolicyViolation',
      'content_policy_violation', // OpenAI
    ],
    // Without a code of its own: Anthropic with status 400.
    patterns: [/blocked by content filtering policy/i],
  },
  malformed: {
    names: [
      'AI_EmptyResponseBodyError',
      'AI_InvalidResponseDataError',
      'AI_JSONParseError',
      'AI_NoContentGeneratedError',
      'AI_TypeValidationError',
    ],
    codes: ['MALFORMED_ANSWER'],
  },
  invalid_request: {
    names: [
      'AI_InvalidArgumentError',
      'AI_InvalidPromptError',
      'AI_LoadSettingError',
      'AI_NoSuchModelError',
      'AI_UnsupportedFunctionalityError',
    ],
    codes: ['invalid_request_error', 'not_found_error', 'INVALID_ARGUMENT', 'NOT_FOUND'],
  },
};

const none: ReadonlySet<string> = new Set();
const names = setsOf('names');
const codes = setsOf('codes');

export function namesOf(type: ModelFailureType): ReadonlySet<string> {
  return names.get(type) ?? none;
}

export function codesOf(type: ModelFailureType): ReadonlySet<string> {
  return codes.get(type) ?? none;
}

export function patternsOf(type: ModelFailureType): readonly RegExp[] {
  return words[type]?.patterns ?? [];
}

function setsOf(key: 'names' | 'codes'): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(words).map(([type, row]) => [type, new Set(row[key])]));
}
