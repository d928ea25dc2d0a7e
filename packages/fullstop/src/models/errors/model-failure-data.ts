import { host } from '../../engines/port/host.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { isObject, type JsonObject } from '../../termination/json.js';
import { classifyModelError, type ModelFailure } from './classify-model-error.js';

/** The field of an error's data that says what the failure of a model call means. */
const field = 'modelFailure';

/**
 * The error with what it means beside it, if a client of models threw it. Anything else stays as it is: a 402 of some other
 * service is no quota of a provider.
 */
export function withModelFailure(error: ErrorData, thrown: unknown): ErrorData {
  if (!isModelError(thrown)) return error;
  const { error: _error, ...failure } = classifyModelError(thrown, { provider: '' });
  const known: JsonObject = { ...failure, provider: providerOf(failure.url) };
  return { ...error, data: { ...error.data, [field]: known } };
}

/** The meaning of a failed model call in a journalled error; undefined where it is none. */
export function modelFailureIn(error: ErrorData): ModelFailure | undefined {
  const failure = error.data?.[field];
  if (!isObject(failure) || typeof failure['type'] !== 'string') return undefined;
  const { [field]: _, ...data } = error.data ?? {};
  const { data: _data, ...plain } = error;
  const shown = Object.keys(data).length === 0 ? plain : { ...plain, data };
  return { ...(failure as unknown as Omit<ModelFailure, 'error'>), error: shown };
}

const aiSdkMark: symbol = Symbol.for('vercel.ai.error');
const mostErrors = 10;

/** True for an error of a client of models: of the AI SDK, of OpenAI's and Anthropic's own, and of LangChain's models. */
export function isModelError(thrown: unknown): boolean {
  let current: unknown = thrown;
  for (let depth = 0; depth < mostErrors && typeof current === 'object' && current !== null; depth += 1) {
    if (isOfClient(current)) return true;
    current = read(current, 'lastError') ?? read(current, 'cause');
  }
  return false;
}

function isOfClient(error: object): boolean {
  if (read(error, aiSdkMark) === true) return isCallFailure(error);
  const code = read(error, 'lc_error_code');
  if (typeof code === 'string' && code.startsWith('MODEL_')) return true;
  const hasRequest = has(error, 'requestID') || has(error, 'request_id');
  return hasRequest && has(error, 'headers') && has(error, 'status');
}

/** The AI SDK marks all of its errors; those about prompts, tools and outputs are no failures of a provider. */
function isCallFailure(error: object): boolean {
  const name = read(error, 'name');
  return name === 'AI_APICallError' || name === 'AI_RetryError' || name === 'AI_LoadAPIKeyError';
}

function has(error: object, key: string): boolean {
  try {
    return key in error;
  } catch {
    return false;
  }
}

/** A property of a value from outside, whose getters may throw. */
function read(error: object, key: string | symbol): unknown {
  try {
    return (error as Readonly<Record<string | symbol, unknown>>)[key];
  } catch {
    return undefined;
  }
}

/** The host that was asked stands for the provider, whose name no error has. */
function providerOf(url: string | undefined): string {
  if (url === undefined || !host.URL.canParse(url)) return 'unknown';
  return (new host.URL(url) as { readonly hostname: string }).hostname || 'unknown';
}
