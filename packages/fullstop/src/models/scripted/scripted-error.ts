import { readDuration } from './duration.js';
import type { ScriptAnswer, ScriptErrorWord, ScriptHttpError, ScriptThrownError } from './script.js';

interface CallFailure {
  readonly message: string;
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  readonly isRetryable: boolean;
  readonly cause?: unknown;
}

/** The error that an answer stands for; nothing for an answer that arrives, even if only in part. */
export function toScriptedError(error: ScriptAnswer['error']): Error | undefined {
  if (error === undefined || error === 'length' || error === 'filter' || error === 'refusal') return undefined;
  if (typeof error === 'string') return callError(wordFailures[error]);
  return 'status' in error ? callError(httpFailure(error)) : thrownError(error);
}

function thrownError({ message, name = 'Error', code }: ScriptThrownError): Error {
  return Object.assign(new Error(message), { name }, code !== undefined && { code });
}

const wordFailures: Readonly<Record<Exclude<ScriptErrorWord, 'length' | 'filter' | 'refusal'>, CallFailure>> = {
  auth: refused(401, 'invalid_api_key', 'The script refuses the key.'),
  context_length: refused(
    400,
    'context_length_exceeded',
    'The prompt is longer than the context window of the script.',
  ),
  network: {
    message: 'Cannot connect to API: the script has no network here.',
    isRetryable: true,
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  },
  stream_cut: {
    message: 'Failed to process successful response',
    statusCode: 200,
    isRetryable: true,
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  },
  malformed: {
    message: 'Invalid JSON response',
    statusCode: 200,
    responseBody: '<html>',
    isRetryable: false,
    cause: Object.assign(new Error('JSON parsing failed: Text: <html>.'), { name: 'AI_JSONParseError' }),
  },
};

function refused(statusCode: number, code: string, message: string): CallFailure {
  return { message, statusCode, responseBody: JSON.stringify({ error: { code, message } }), isRetryable: false };
}

function httpFailure({
  status,
  retryAfter,
  message = `The script answers with status ${status}.`,
  code,
  retry,
}: ScriptHttpError): CallFailure {
  const milliseconds = retryAfter === undefined ? undefined : readDuration(retryAfter);
  return {
    message,
    statusCode: status,
    responseBody: JSON.stringify({ error: { message, code } }),
    responseHeaders: {
      // The header in milliseconds too, since the standard one has no fractions of a second.
      ...(milliseconds !== undefined && {
        'retry-after': String(Math.ceil(milliseconds / 1000)),
        'retry-after-ms': String(milliseconds),
      }),
      ...(retry !== undefined && { 'x-should-retry': String(retry) }),
    },
    isRetryable: status === 408 || status === 409 || status === 429 || status >= 500,
  };
}

/** An error that the AI SDK, too, takes for one of its own: it recognises them by these symbols. */
function callError({ message, cause, ...fields }: CallFailure): Error {
  const error = new Error(message, cause === undefined ? {} : { cause });
  const marks = { [Symbol.for('vercel.ai.error')]: true, [Symbol.for('vercel.ai.error.AI_APICallError')]: true };
  return Object.assign(error, { name: 'AI_APICallError', url: 'scripted:', requestBodyValues: {} }, fields, marks);
}
