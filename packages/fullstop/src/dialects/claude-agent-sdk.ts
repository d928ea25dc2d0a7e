import { isObject, type JsonObject } from '../termination/json.js';
import { ambiguousWord } from './ambiguous-word.js';
import { badPayload } from './bad-payload.js';
import {
  type Dialect,
  defineDialect,
  type ForeignPayload,
  type ForeignTermination,
  type ForeignWord,
  type Parts,
} from './dialect.js';
import { type GeneralWords, generalWord } from './general-word.js';
import { double, integer } from './number-type.js';
import { plainWords } from './plain-words.js';
import { number, specialWord, word } from './word.js';

/** Words that no member of a message spells out; several members together say them. */
const refusal = 'stop_reason refusal';
const maxTokens = 'stop_reason max_tokens';
const apiAuth = 'api_error 401, 403';
const apiQuota = 'api_error 402';
const apiFailed = 'api_error 408, 409, 429, 5xx';

const words: readonly ForeignWord[] = [
  word('completed', 'natural_end'),
  word('max_turns', 'max_iterations', { implied: { unit: 'turn' }, carries: { num_turns: number('used', integer) } }),
  word('budget_exhausted', 'cost_budget', { carries: { total_cost_usd: number('usedUsd', double) } }),
  word('structured_output_retry_exhausted', 'structured_output_exhausted'),
  word('prompt_too_long', 'prompt_too_long'),
  word('blocking_limit', 'prompt_too_long', {
    canonical: 'prompt_too_long',
    note: 'The context is full and compaction is off or in vain; it is not a usage limit.',
  }),
  word('rapid_refill_breaker', 'prompt_too_long', {
    canonical: 'prompt_too_long',
    note: 'The context was full again soon after each of several compactions.',
  }),
  failure('image_error'),
  ambiguousWord(
    'model_error',
    ['provider_failed', 'agent_refused', 'failed'],
    'The model call failed, and the message does not say how.',
  ),
  ambiguousWord(
    'api_error',
    ['provider_failed', 'agent_refused', 'output_truncated', 'failed'],
    'Without a status that says more. Also read from subtype success with is_error.',
  ),
  word(apiAuth, 'provider_auth', {
    carries: { api_error_status: number('status', integer) },
    fits: (t) => apiWord(t.status) === apiAuth,
  }),
  word(apiQuota, 'provider_quota', {
    carries: { api_error_status: number('status', integer) },
    fits: (t) => apiWord(t.status) === apiQuota,
  }),
  word(apiFailed, 'provider_failed', {
    carries: { api_error_status: number('status', integer) },
    fits: (t) => apiWord(t.status) === apiFailed,
  }),
  word(refusal, 'agent_refused', {
    implied: { by: 'model' },
    note: 'Read where terminal_reason is completed, api_error, model_error or missing.',
  }),
  word(maxTokens, 'output_truncated', { implied: { reason: 'length' }, note: 'Read in the same places as a refusal.' }),
  word('malformed_tool_use_exhausted', 'consecutive_mistakes', {
    implied: { lastMistake: { problem: 'bad_arguments' } },
  }),
  word('aborted_streaming', 'cancelled'),
  word('aborted_tools', 'cancelled', { canonical: 'aborted_streaming' }),
  word('hook_stopped', 'halted', { implied: { by: { type: 'hook' } } }),
  word('stop_hook_prevented', 'halted', { implied: { by: { type: 'hook' } }, canonical: 'hook_stopped' }),
  specialWord('tool_deferred', 'interaction_pending', {
    carries: ['id → requests[0].id', 'name → requests[0].tool', 'input → requests[0].input'].map(
      (each) => `deferred_tool_use.${each}`,
    ),
    note: 'Has room for a single call: of several, the first is written.',
    write: writeDeferred,
    read: readDeferred,
  }),
  word('background_requested', 'interaction_pending', {
    canonical: 'tool_deferred',
    note: 'The work continues in the background; its result is still to come.',
  }),
  failure('tool_deferred_unavailable'),
  failure('turn_setup_failed'),
  word('success', 'natural_end', { canonical: 'completed', note: 'A subtype, read where terminal_reason is missing.' }),
  word('error_max_turns', 'max_iterations', {
    implied: { unit: 'turn' },
    carries: { num_turns: number('used', integer) },
    canonical: 'max_turns',
  }),
  word('error_max_budget_usd', 'cost_budget', {
    carries: { total_cost_usd: number('usedUsd', double) },
    canonical: 'budget_exhausted',
  }),
  word('error_max_structured_output_retries', 'structured_output_exhausted', {
    canonical: 'structured_output_retry_exhausted',
  }),
  failure('error_during_execution'),
];

const failedTurn = { subtype: 'error_during_execution', is_error: true } as const;
const apiError = { subtype: 'success', is_error: true, terminal_reason: 'api_error' } as const;

/** The message for a word, where that is not simply the reason of a failed turn. */
const messages: Readonly<Record<string, JsonObject>> = {
  completed: { subtype: 'success', is_error: false, terminal_reason: 'completed' },
  max_turns: { subtype: 'error_max_turns', is_error: true, terminal_reason: 'max_turns' },
  budget_exhausted: { subtype: 'error_max_budget_usd', is_error: true, terminal_reason: 'budget_exhausted' },
  structured_output_retry_exhausted: {
    subtype: 'error_max_structured_output_retries',
    is_error: true,
    terminal_reason: 'structured_output_retry_exhausted',
  },
  api_error: apiError,
  [apiAuth]: apiError,
  [apiQuota]: apiError,
  [apiFailed]: apiError,
  [refusal]: { ...apiError, stop_reason: 'refusal' },
  [maxTokens]: { ...apiError, stop_reason: 'max_tokens' },
  hook_stopped: { subtype: 'success', is_error: false, terminal_reason: 'hook_stopped' },
  tool_deferred: { subtype: 'success', is_error: false, terminal_reason: 'tool_deferred' },
  error_during_execution: failedTurn,
};

const general: GeneralWords<string> = {
  byCategory: {
    success: 'completed',
    paused: 'tool_deferred',
    cancelled: 'aborted_streaming',
    capacity: 'max_turns',
    retryable: 'api_error',
    fatal: 'error_during_execution',
  },
  byKind: {
    time_budget: 'budget_exhausted',
    token_budget: 'budget_exhausted',
    schema_validation: 'structured_output_retry_exhausted',
    post_validation_failed: 'structured_output_retry_exhausted',
    compaction_failed: 'prompt_too_long',
    gate_expired: 'error_during_execution',
  },
  unknown: 'error_during_execution',
};

/** The result message of the Claude Agent SDK: `terminal_reason` first, then `subtype`. */
export const claudeAgentSdk: Dialect<JsonObject> = defineDialect<JsonObject>({
  name: 'claude-agent-sdk',
  title: 'Claude Agent SDK',
  words,
  split(value) {
    if (!isObject(value) || value['type'] !== 'result') return undefined;
    const payload = value as JsonObject;
    const cause = causeOf(payload);
    return cause === undefined ? undefined : { word: cause, payload };
  },
  join: (name, payload) => ({ ...messageOf(name), ...payload }),
  otherwise(termination, registry) {
    const message = messageOf(generalWord(termination, registry, general));
    if (message['is_error'] !== true) return message;
    const text = plainWords(termination, registry);
    // Only error subtypes have `errors`; the text of an API error is the result.
    return message['subtype'] === 'success' ? { ...message, result: text } : { ...message, errors: [text] };
  },
  general: bySubtype,
});

function messageOf(name: string): JsonObject {
  // Of a third-party word nothing else is known, not even whether it is an error.
  const known = words.some((each) => each.word === name) ? failedTurn : {};
  return { type: 'result', ...(messages[name] ?? { ...known, terminal_reason: name }) };
}

/** Reasons about which the model's own stop reason may say more. */
const vague: ReadonlySet<string> = new Set(['completed', 'api_error', 'model_error', 'success']);

function causeOf(message: JsonObject): string | undefined {
  const named = [message['terminal_reason'], message['subtype']].find((each) => typeof each === 'string');
  if (named === undefined || !vague.has(named)) return named;
  const stopReason = message['stop_reason'];
  if (stopReason === 'refusal') return refusal;
  if (stopReason === 'max_tokens') return maxTokens;
  if (stopReason === 'tool_deferred') return stopReason;
  // Older versions report a turn that died on an API error as a success with is_error.
  const died = named === 'api_error' || (named !== 'model_error' && message['is_error'] === true);
  return died ? apiWord(message['api_error_status']) : named;
}

function apiWord(status: unknown): string {
  if (status === 401 || status === 403) return apiAuth;
  if (status === 402) return apiQuota;
  const retryable = typeof status === 'number' && (status >= 500 || [408, 409, 429].includes(status));
  return retryable ? apiFailed : 'api_error';
}

/** A reason of a newer version: an error subtype is still clear, while success might be anything. */
function bySubtype({ payload }: Parts): Parts | undefined {
  const subtype = payload['subtype'];
  return typeof subtype === 'string' && subtype !== 'success' ? { word: subtype, payload } : undefined;
}

/** An error that is known by its code; `errors` has its message, line by line. */
function failure(name: string): ForeignWord {
  const code = name === 'error_during_execution' ? undefined : name;
  const own = code === undefined ? {} : { code };
  return specialWord(name, 'failed', {
    implied: code === undefined ? {} : { error: own },
    carries: ['errors → error.message'],
    write: (t): ForeignPayload => (t.error?.message === undefined ? {} : { errors: t.error.message.split('\n') }),
    read(payload) {
      const errors = payload['errors'];
      if (!Array.isArray(errors) || errors.length === 0) return {};
      if (!errors.every((each) => typeof each === 'string')) throw badPayload(name, 'errors', 'a list of strings');
      return { error: { ...own, message: errors.join('\n') } };
    },
    ...(code === undefined && { note: 'A subtype, read where terminal_reason is missing.' }),
  });
}

function writeDeferred(termination: ForeignTermination<'interaction_pending'>): ForeignPayload {
  const request = termination.requests?.[0];
  if (request === undefined) return {};
  const { id, tool, input } = request;
  return {
    deferred_tool_use: {
      ...(id !== undefined && { id }),
      ...(tool !== undefined && { name: tool }),
      ...(input !== undefined && { input: input as JsonObject }),
    },
  };
}

function readDeferred(payload: ForeignPayload): Omit<ForeignTermination<'interaction_pending'>, 'kind'> {
  const deferred = payload['deferred_tool_use'];
  if (!isObject(deferred)) return {};
  const { id, name, input } = deferred as JsonObject;
  return {
    requests: [
      {
        ...(typeof id === 'string' && { id }),
        ...(typeof name === 'string' && { tool: name }),
        ...(input !== undefined && { input }),
      },
    ],
  };
}
