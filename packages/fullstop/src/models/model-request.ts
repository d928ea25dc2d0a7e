import type { JsonObject, JsonValue } from '../termination/json.js';
import type { ModelMessage, ProviderOptions } from './message.js';

/** One call to a model, in our own form. */
export interface ModelRequest {
  /**
   * The conversation. A list that grows may be given again and again: only what is new is converted, so its messages must
   * not be changed, only added to. Whatever else changes needs a new list.
   */
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  readonly toolChoice?: ToolChoice;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly responseFormat?: ResponseFormat;
  /** Only models of v4 have it. */
  readonly reasoning?: ReasoningEffort;
  readonly headers?: Readonly<Record<string, string>>;
  readonly providerOptions?: ProviderOptions;
  /** Who asks; scripted models answer by it and recordings are kept by it. */
  readonly agent?: string;
}

/** How much a model thinks before it answers, in the words of AI SDK 7. */
export type ReasoningEffort = 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** `auto` unless given. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

export type ResponseFormat =
  | { readonly type: 'text' }
  | {
      readonly type: 'json';
      /** JSON Schema. */
      readonly schema?: JsonObject;
      readonly name?: string;
      readonly description?: string;
    };

/** A tool as the model sees it. */
export type ModelTool = FunctionTool | ProviderTool;

export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly inputSchema: JsonObject;
  readonly strict?: boolean;
  readonly providerOptions?: ProviderOptions;
}

/** A tool that the provider brings along, such as its own web search. */
export interface ProviderTool {
  readonly type: 'provider';
  /** `provider.tool`. */
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, JsonValue>>;
}
