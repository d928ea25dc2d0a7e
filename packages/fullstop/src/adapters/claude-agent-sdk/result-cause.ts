import { classifyModelError } from '../../models/errors/classify-model-error.js';
import { endingOfModelFailure } from '../../run/ending/ending-of-model-failure.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { causeOfAnswer } from '../core/answer-cause.js';
import type { ForeignCause } from '../core/foreign-event.js';
import { toJournalJson } from '../core/journal-json.js';
import type { ClaudeOptions, ClaudeResult, ClaudeTerminalReason } from './structure.js';

/** Everything that is known of a turn when its result comes. */
export interface TurnFacts {
  readonly result: ClaudeResult;
  readonly options: ClaudeOptions;
  readonly agent: string;
  /** The model calls that were heard. */
  readonly turns: number;
  /** The SDK's word on the last model call that failed, if one did. */
  readonly failure: string | undefined;
  /** The model's word for why its last answer ended. */
  readonly stopReason: string | undefined;
}

type Row = (facts: TurnFacts) => ForeignCause;

/** The ending that each terminal reason of the SDK means. `tool_deferred` is a question, and handled as one before. */
const rows: Readonly<Record<ClaudeTerminalReason, Row>> = {
  aborted_streaming: interrupted,
  aborted_tools: interrupted,
  api_error: failedCall,
  background_requested: () => unknown(['natural_end', 'failed']),
  blocking_limit: tooLong,
  budget_exhausted: ({ result, options }) => {
    const limitUsd = options.maxBudgetUsd ?? result.total_cost_usd ?? 0;
    const usedUsd = Math.max(limitUsd, result.total_cost_usd ?? 0);
    // A budget of nobody's, with nothing spent, is no evidence of one.
    return limitUsd > 0 ? cause('budget', { kind: 'cost_budget', limitUsd, usedUsd }) : unknown(['cost_budget']);
  },
  completed,
  hook_stopped: halted,
  image_error: failedCall,
  malformed_tool_use_exhausted: (facts) => failed(facts, 'external'),
  max_turns: ({ options, turns }) => {
    const limit = Math.max(1, options.maxTurns ?? turns);
    return cause('cap', { kind: 'max_iterations', limit, used: Math.max(limit, turns), unit: 'turn' });
  },
  model_error: failedCall,
  prompt_too_long: tooLong,
  rapid_refill_breaker: (facts) =>
    cause('step_error', { kind: 'compaction_failed', stage: 'refill', error: errorOf(facts.result) }),
  stop_hook_prevented: halted,
  structured_output_retry_exhausted: ({ result, turns }) =>
    cause('step_error', {
      kind: 'structured_output_exhausted',
      attempts: Math.max(1, turns),
      violations: [{ path: '', message: wordsOf(result) }],
    }),
  tool_deferred: () => unknown(['interaction_pending']),
  tool_deferred_unavailable: (facts) => failed(facts, 'configuration'),
  turn_setup_failed: (facts) => failed(facts, 'internal'),
};

/** The terminal reasons that have an ending. */
export const knownTerminalReasons: readonly string[] = Object.keys(rows);

/** Producers that name no reason still have a subtype. */
const bySubtype: Readonly<Record<string, ClaudeTerminalReason>> = {
  success: 'completed',
  error_max_turns: 'max_turns',
  error_max_budget_usd: 'budget_exhausted',
  error_max_structured_output_retries: 'structured_output_retry_exhausted',
};

/** The ending of a turn, by its result. */
export function causeOfResult(facts: TurnFacts): ForeignCause {
  const { result } = facts;
  if (result.startup_failure_reason !== undefined) return failed(facts, 'configuration');
  const reason = result.terminal_reason ?? bySubtype[result.subtype ?? ''];
  if (reason === undefined) return failed(facts, 'unknown');
  const row = Object.hasOwn(rows, reason) ? rows[reason as ClaudeTerminalReason] : undefined;
  // A reason of a newer SDK is not guessed at.
  return row?.(facts) ?? unknown([result.is_error === true ? 'failed' : 'natural_end', 'custom']);
}

/** The ending of a turn whose result was lost: its neighbours say what it may have been. */
export function causeOfLostResult(seen: ForeignCause | undefined): ForeignCause {
  return unknown([...new Set([seen?.termination.kind ?? 'natural_end', 'failed'])]);
}

function completed(facts: TurnFacts): ForeignCause {
  const { result, options, agent, stopReason } = facts;
  if (result.is_error === true) return failedCall(facts);
  if (options.outputFormat !== undefined && result.structured_output === undefined) {
    const violations = [{ path: '', message: 'The run completed without the structured output that was asked for.' }];
    return cause('step_error', { kind: 'schema_validation', violations, received: toJournalJson(result.result) });
  }
  const finish = result.stop_reason ?? stopReason;
  const hasOther = result.structured_output !== undefined;
  return causeOfAnswer({ agent, text: result.result ?? '', finish: finish ?? undefined, hasOther });
}

/** A call to the provider that failed for good; the SDK reports it as an answer. */
function failedCall(facts: TurnFacts): ForeignCause {
  const { result, agent, failure, stopReason } = facts;
  const words = wordsOf(result);
  if (result.stop_reason === 'refusal' || stopReason === 'refusal')
    return cause('step_error', { kind: 'agent_refused', agentId: agent, reason: words, by: 'model' });
  if (failure === 'max_output_tokens') {
    const cap = Number(/exceeded the (\d+) output token/.exec(words)?.[1]);
    return cause('step_error', { kind: 'output_truncated', reason: 'length', ...(cap > 0 && { cap }) });
  }
  const status = result.api_error_status ?? statusOfWord[failure ?? ''];
  const error = Object.assign(new Error(words), { ...(status !== undefined && { status }) });
  const classified = classifyModelError(error, { provider: 'anthropic' });
  // Without any status the connection itself broke, or the model did.
  const known = status === undefined && classified.type === 'unknown';
  const termination = known
    ? ({ kind: 'provider_failed', attempts: 1, provider: 'anthropic', message: words } as Ending)
    : endingOfModelFailure(classified, { attempts: 1, agent });
  return { slot: 'step_error', point: 'after_response', termination };
}

const statusOfWord: Readonly<Record<string, number>> = {
  authentication_failed: 401,
  cloud_credential_error: 401,
  billing_error: 402,
  account_on_hold: 403,
  oauth_org_not_allowed: 403,
  verification_required: 403,
  model_not_found: 404,
  invalid_request: 400,
  rate_limit: 429,
  server_error: 500,
  overloaded: 529,
};

/** Nobody aborts a turn but the caller, by an interrupt or by the answer to a permission. */
function interrupted({ result }: TurnFacts): ForeignCause {
  const [denied] = result.permission_denials ?? [];
  if (denied === undefined) return cause('cancelled', { kind: 'cancelled', by: 'caller' });
  const reason = `The call of ${denied.tool_name ?? 'a tool'} was denied, and the run with it.`;
  return cause('halted', { kind: 'halted', by: { type: 'hook', name: 'canUseTool' }, reason });
}

function halted({ result }: TurnFacts): ForeignCause {
  const name = result.terminal_reason === 'stop_hook_prevented' ? 'Stop' : 'hook';
  const reason = wordsOf(result);
  return cause('halted', { kind: 'halted', by: { type: 'hook', name }, reason });
}

function tooLong({ result }: TurnFacts): ForeignCause {
  return cause('step_error', { kind: 'prompt_too_long', message: wordsOf(result) });
}

function failed(
  { result }: TurnFacts,
  errorClass: 'configuration' | 'external' | 'internal' | 'unknown',
): ForeignCause {
  return cause('step_error', { kind: 'failed', error: errorOf(result), origin: 'loop', errorClass });
}

function unknown(candidates: readonly string[]): ForeignCause {
  return cause('step_error', { kind: 'indeterminate', candidates });
}

function wordsOf({ result, errors = [], subtype = '', terminal_reason: reason }: ClaudeResult): string {
  const words = errors.length > 0 ? errors.join('\n') : (result ?? '');
  return words === '' ? (reason ?? subtype) : words;
}

function errorOf(result: ClaudeResult): ReturnType<typeof toErrorData> {
  const code = result.startup_failure_reason ?? result.terminal_reason ?? result.subtype;
  return toErrorData(Object.assign(new Error(wordsOf(result)), { code }), { stack: false });
}

function cause(
  slot: Cause['slot'],
  termination: { readonly kind: string } & Readonly<Record<string, unknown>>,
): ForeignCause {
  return { slot, point: 'after_response', termination: termination as unknown as Ending };
}
