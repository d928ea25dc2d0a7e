import type { AbortSignalLike } from '../../engines/port/engine.js';

// The shapes of the AI SDK that we read, the same in ai 5, 6 and 7. Nothing is imported from it.

/** A step of `generateText` or `streamText`. */
export interface AiStep {
  readonly text: string;
  readonly finishReason: string;
  /** Since ai 6. */
  readonly rawFinishReason?: string | undefined;
  readonly usage: AiUsage;
  readonly content: readonly AiPart[];
  readonly toolCalls: readonly AiToolCall[];
  readonly response: { readonly modelId?: string; readonly messages: readonly unknown[] };
  readonly model?: { readonly provider?: string; readonly modelId?: string };
}

export interface AiUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number | undefined } | undefined;
}

/** A part of the content of a step. */
export interface AiPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly approvalId?: string;
  readonly toolCall?: AiToolCall;
  readonly providerExecuted?: boolean | undefined;
}

export interface AiToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerExecuted?: boolean | undefined;
  readonly invalid?: boolean | undefined;
}

/** A predicate of `stopWhen`. */
export type AiPredicate = (options: { readonly steps: readonly AiStep[] }) => PromiseLike<boolean> | boolean;

/** The options of a call that we read or replace; all others pass through. */
export interface AiCallOptions {
  readonly model?: unknown;
  readonly prompt?: unknown;
  readonly messages?: readonly unknown[];
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly stopWhen?: unknown;
  readonly abortSignal?: AbortSignalLike | undefined;
  readonly timeout?: unknown;
  readonly output?: unknown;
  readonly experimental_output?: unknown;
  readonly maxOutputTokens?: number | undefined;
}

/** The result of `generateText`, and what `onFinish` of `streamText` is told. */
export interface AiResult {
  readonly steps: readonly AiStep[];
}
