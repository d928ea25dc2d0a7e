import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { cutText } from '../../termination/text/wording.js';
import { type ContextLength, readContextLength } from './context-length.js';
import { type ErrorFacts, readErrorFacts } from './error-facts.js';
import { codesOf, namesOf, patternsOf } from './error-words.js';
import { readRetryAfter } from './retry-after.js';

/**
 * The meaning of the failure of a model call.
 * `auth`: the key is missing, wrong or not allowed to do this. `quota`: the account has no credit or quota left.
 * `unavailable`: overloaded, down, unreachable or broken off. `filtered`: a content filter of the provider withheld the answer or the question.
 * `malformed`: it answered something that is no answer. `unknown`: nothing of all this.
 */
export type ModelFailureType =
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'unavailable'
  | 'context_length'
  | 'filtered'
  | 'invalid_request'
  | 'aborted'
  | 'malformed'
  | 'unknown';

/** A failed model call as data. */
export interface ModelFailure {
  readonly type: ModelFailureType;
  readonly provider: string;
  readonly status?: number;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** How long the provider asks us to wait. */
  readonly retryAfterMs?: number;
  /** The window of the model in tokens, if the provider says so. */
  readonly limit?: number;
  /** The tokens that were asked for, if the provider says so. */
  readonly used?: number;
  /** The words of the provider's own body, where there is one; else the message of the error. */
  readonly message?: string;
  /** The provider's id of the request. */
  readonly requestId?: string;
  /** The address that was asked, without its query and without credentials. */
  readonly url?: string;
  readonly error: ErrorData;
}

export interface ClassifyOptions {
  readonly provider: string;
  /** The signal of the call. What a call rejects with once it is aborted can be any value at all. */
  readonly signal?: AbortSignalLike | undefined;
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly now?: number;
}

/** True for a failure that came after the provider had begun to answer: its connection closed in the middle of a good response. */
export function brokeOff(thrown: unknown): boolean {
  const facts = readErrorFacts(thrown);
  const { status, bodyMessage } = facts;
  // A refusal in the body of a good response is no answer.
  if (status === undefined || status < 200 || status >= 300 || bodyMessage !== undefined) return false;
  return typeOf(facts, undefined, true) === 'unavailable';
}

/** Says what it means that a model call threw this. Never throws, for any value at all. */
export function classifyModelError(thrown: unknown, { provider, signal, now }: ClassifyOptions): ModelFailure {
  // The fields of clients' errors hold whole requests and answers; what is evidence is read from them below.
  const error = toErrorData(thrown, { data: false });
  if (signal?.aborted === true) return { type: 'aborted', provider, retryable: false, error };
  const facts = readErrorFacts(thrown);
  const context = mayBeTooLong(facts.status) ? readContextLength(facts) : undefined;
  const type = typeOf(facts, context, signal !== undefined);
  const retryAfterMs = readRetryAfter((name) => facts.header(name), facts.bodyDelay, now ?? Date.now());
  const message = facts.bodyMessage ?? (error.message === '' ? undefined : error.message);
  const requestId = readRequestId(facts);
  // An answer that began well and failed later says 200, which is not what went wrong.
  const status = facts.status !== undefined && facts.status >= 300 ? facts.status : undefined;
  const evidence = {
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
    ...(facts.url !== undefined && { url: facts.url }),
  };
  return {
    type,
    provider,
    ...evidence,
    ...(message !== undefined && { message: cutText(message, longestMessage) }),
    retryable: isRetryable(type, facts),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(type === 'context_length' && context),
    error: Object.keys(evidence).length === 0 ? error : { ...error, data: evidence },
  };
}

/** Some providers answer with whole pages; the beginning is enough to recognise them. */
const longestMessage = 1000;

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id', 'x-ms-request-id'];

/** The provider's id of a request, under which its support finds it. */
function readRequestId(facts: ErrorFacts): string | undefined {
  const found = requestIdHeaders.map((name) => facts.header(name)).find((id) => id !== undefined && id !== '');
  return found === undefined ? facts.bodyRequestId : cutText(found, 200);
}

function typeOf(facts: ErrorFacts, context: ContextLength | undefined, known: boolean): ModelFailureType {
  const { status } = facts;
  // Whoever has a signal that is not aborted did not abort: something on the way to the provider gave up.
  if (says(facts, 'aborted')) return known ? 'unavailable' : 'aborted';
  if (status === 402 || says(facts, 'quota')) return 'quota';
  if (status === 401 || status === 403 || says(facts, 'auth')) return 'auth';
  if (context !== undefined || status === 413) return 'context_length';
  if (says(facts, 'filtered')) return 'filtered';
  if (status === 429) return 'rate_limit';
  if (status !== undefined && status >= 300) return typeOfStatus(status);
  return typeOfWords(facts);
}

/** A rate limit may name the same numbers as a window that is too small; it is none. */
function mayBeTooLong(status: number | undefined): boolean {
  return status === undefined || status === 400 || status === 413 || status === 422 || status >= 500;
}

function typeOfStatus(status: number): ModelFailureType {
  if (status >= 500 || status === 408 || status === 409 || status === 425) return 'unavailable';
  return status >= 400 ? 'invalid_request' : 'unknown';
}

/** There is no status, or the answer began well and failed later: only the words are left. */
function typeOfWords(facts: ErrorFacts): ModelFailureType {
  for (const type of ['rate_limit', 'unavailable', 'malformed', 'invalid_request'] as const) {
    if (says(facts, type)) return type;
  }
  if (facts.retryable === true) return 'unavailable';
  return facts.status === undefined ? 'unknown' : 'malformed';
}

function says({ names, codes, messages }: ErrorFacts, type: ModelFailureType): boolean {
  return (
    names.some((name) => namesOf(type).has(name)) ||
    codes.some((code) => codesOf(type).has(code)) ||
    patternsOf(type).some((pattern) => messages.some((message) => pattern.test(message)))
  );
}

function isRetryable(type: ModelFailureType, facts: ErrorFacts): boolean {
  // OpenAI and Anthropic say it outright where they know better than the status.
  if (facts.header('x-should-retry') === 'false') return false;
  return type === 'rate_limit' || type === 'unavailable' || type === 'malformed';
}

/** The first code of a chain of errors: a host that could not be reached is in the cause. */
export function codeOf({ code, cause }: ErrorData): string | undefined {
  if (code !== undefined || cause === undefined) return code;
  return codeOf(cause);
}
