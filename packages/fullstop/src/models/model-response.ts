import type { JsonObject, JsonValue } from '../termination/json.js';
import type { AssistantPart } from './message.js';

/** Why the model stopped. `interrupted`: the provider says that it could not finish. */
export type ModelFinish = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'error' | 'other' | 'interrupted';

/** A model's answer, plain JSON, the same whether it was streamed or not. */
export interface ModelResponse {
  readonly text: string;
  readonly reasoning?: string;
  /** The calls that we have to perform; those that the provider performs itself are only in `content`. */
  readonly toolCalls: readonly ModelToolCall[];
  /** The model's own word for it. Some say `stop` beside tool calls, so whether there are any decides, not this. */
  readonly finish: ModelFinish;
  /** The provider's word, where it is known. */
  readonly rawFinish?: string;
  /** Absent when the provider reported nothing; absent numbers are unknown, never 0. */
  readonly usage?: ModelUsage;
  /** The model that answered, where the provider says so. */
  readonly modelId?: string;
  /** The provider's id of the answer. */
  readonly responseId?: string;
  readonly warnings?: readonly string[];
  readonly providerMetadata?: JsonObject;
  /** The pages and documents that the provider names as the origin of the answer. */
  readonly sources?: readonly ModelSource[];
  /** The parts of the assistant message, signatures and files included: what to send back next time. */
  readonly content: readonly AssistantPart[];
}

/** Where something in an answer comes from. */
export type ModelSource =
  | { readonly sourceType: 'url'; readonly id: string; readonly url: string; readonly title?: string }
  | {
      readonly sourceType: 'document';
      readonly id: string;
      readonly mediaType: string;
      readonly title?: string;
      readonly filename?: string;
    };

/** A call of a tool as the model asked for it. */
export interface ModelToolCall {
  readonly id: string;
  readonly tool: string;
  /** Empty when it could not be read. */
  readonly input: JsonValue;
  /** The model's own text, when it is not JSON. */
  readonly invalid?: string;
}

/** The tokens that a call of the model used, as its provider reports them. */
export interface ModelUsage {
  /** All input, what came from a cache included. */
  readonly inputTokens?: number;
  /** All output, reasoning included. */
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
}

/** A piece of an answer on its way. */
export type ModelDelta =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'tool_input'; readonly id: string; readonly tool: string; readonly text: string };
