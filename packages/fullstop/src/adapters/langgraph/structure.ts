import type { AbortSignalLike } from '../../engines/port/engine.js';

// The shapes of LangGraph and LangChain that we read. Nothing is imported from them.

/** A message of LangChain. */
export interface ChainMessage {
  readonly content?: unknown;
  readonly name?: string;
  readonly status?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
  readonly invalid_tool_calls?: readonly unknown[];
  readonly usage_metadata?: ChainUsage;
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
  getType?(): string;
}

export interface ChainUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly input_token_details?: { readonly cache_read?: number };
}

/** A question of a graph that interrupted itself. */
export interface ChainInterrupt {
  readonly id?: string;
  readonly value?: unknown;
}

/** The configuration of a call that we read or replace; all others pass through. */
export interface GraphConfig {
  readonly signal?: AbortSignalLike | undefined;
  readonly timeout?: number;
  readonly recursionLimit?: number;
  readonly callbacks?: unknown;
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/** A compiled graph, or an agent of LangChain. */
export interface GraphLike {
  invoke(input: unknown, config: object): PromiseLike<unknown>;
  stream?(input: unknown, config: object): PromiseLike<unknown>;
  getState?(config: object): PromiseLike<unknown>;
  readonly checkpointer?: unknown;
}
