import type { AbortSignalLike } from '../../engines/port/engine.js';

// The shapes of the Claude Agent SDK that we read. Nothing is imported from it.

/** The SDK's own words for why a turn ended. */
export type ClaudeTerminalReason =
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'api_error'
  | 'background_requested'
  | 'blocking_limit'
  | 'budget_exhausted'
  | 'completed'
  | 'hook_stopped'
  | 'image_error'
  | 'malformed_tool_use_exhausted'
  | 'max_turns'
  | 'model_error'
  | 'prompt_too_long'
  | 'rapid_refill_breaker'
  | 'stop_hook_prevented'
  | 'structured_output_retry_exhausted'
  | 'tool_deferred'
  | 'tool_deferred_unavailable'
  | 'turn_setup_failed';

/** A part of a message of the Messages API. */
export interface ClaudeBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

export interface ClaudeUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/** A message of a query, as far as we read it. */
export interface ClaudeMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly parent_tool_use_id?: string | null;
  /** Set on the message that stands for a failed model call. */
  readonly error?: string;
  readonly message?: {
    readonly id?: string;
    readonly model?: string;
    readonly content?: string | readonly ClaudeBlock[];
    readonly stop_reason?: string | null;
    readonly usage?: ClaudeUsage;
  };
  /** Of a `stream_event`. */
  readonly event?: {
    readonly type: string;
    readonly delta?: { readonly stop_reason?: string | null };
    readonly usage?: ClaudeUsage;
  };
}

/** The message with which a turn ends. */
export interface ClaudeResult extends ClaudeMessage {
  readonly type: 'result';
  readonly is_error?: boolean;
  readonly num_turns?: number;
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly stop_reason?: string | null;
  readonly terminal_reason?: string;
  readonly startup_failure_reason?: string;
  readonly api_error_status?: number | null;
  readonly total_cost_usd?: number;
  readonly result_index?: number;
  readonly structured_output?: unknown;
  readonly permission_denials?: readonly { readonly tool_name?: string }[];
  readonly deferred_tool_use?: { readonly id: string; readonly name: string; readonly input: unknown };
}

/** A query under way: its messages, and the calls that steer it. */
export interface ClaudeQuery extends AsyncIterable<unknown> {
  next(): Promise<IteratorResult<unknown, unknown>>;
  return?(value?: unknown): Promise<unknown>;
}

/** The input of a hook, of those that we listen to. */
export interface ClaudeHookInput {
  readonly agent_id?: string;
  readonly tool_use_id?: string;
  readonly error?: string;
  readonly tool_calls?: readonly {
    readonly tool_name: string;
    readonly tool_input: unknown;
    readonly tool_use_id: string;
    readonly tool_response?: unknown;
  }[];
}

export type ClaudeHook = (input: ClaudeHookInput, id: string | undefined, options: object) => PromiseLike<object>;

export interface ClaudeHookMatcher {
  readonly matcher?: string;
  readonly hooks: readonly ClaudeHook[];
  readonly timeout?: number;
}

/** The options of a query that we read or replace; all others pass through. */
export interface ClaudeOptions {
  readonly model?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly outputFormat?: unknown;
  readonly resume?: string;
  readonly includePartialMessages?: boolean;
  readonly abortController?: { readonly signal: AbortSignalLike };
  readonly hooks?: Readonly<Record<string, readonly ClaudeHookMatcher[] | undefined>>;
}
