import type { JsonValue } from '../../termination/json.js';
import type { FileData, ProviderOptions } from '../message.js';
import type { ModelSource } from '../model-response.js';

/** The answers of a scripted model, by who asks; `*` answers for everyone else. */
export interface Script {
  readonly answers: Readonly<Record<string, readonly ScriptAnswer[]>>;
  /** The behaviour when a list is used up: an error unless given, or its last answer again and again. */
  readonly exhausted?: 'error' | 'repeat-last';
}

/** One answer: a text, a structured output, tool calls, a list of parts, or an error; `finish` alone is an empty answer. */
export interface ScriptAnswer {
  readonly text?: string;
  /** Answered as JSON text, which is how structured output arrives; an object is marked as one. */
  readonly output?: JsonValue;
  /** Instead of an output: the JSON of one as the model writes it, where `1.0` is not `1`. */
  readonly outputText?: string;
  /** The thoughts as one text, or in parts where the provider has signed them. */
  readonly reasoning?: string | readonly ScriptReasoning[];
  readonly toolCalls?: readonly ScriptToolCall[];
  /** Instead of all of these: the parts of the answer in the model's order, files, sources and what the provider performed included. */
  readonly content?: readonly ScriptPart[];
  /** None is reported unless given, as by a provider that does not count. */
  readonly usage?: ScriptUsage;
  /** How long the answer takes, such as `250ms`. */
  readonly delay?: string;
  /** With `length`, `filter` and `refusal` the answer so far is given, with `stream_cut` the beginning of it. */
  readonly error?: ScriptErrorWord | ScriptHttpError | ScriptThrownError;
  /** Where the answer alone does not say it: `tool_calls` with tool calls, else `stop`. */
  readonly finish?: 'stop' | 'other' | 'error' | 'interrupted';
}

/** A part of the thoughts, with what the provider wants to see again beside it, such as its signature. */
export interface ScriptReasoning {
  readonly text: string;
  readonly providerMetadata?: ProviderOptions;
}

/** A call of a tool that a scripted model asks for. */
export interface ScriptToolCall {
  readonly tool: string;
  readonly input?: JsonValue;
  /** Made from the place in the script unless given. */
  readonly id?: string;
  /** Instead of an input: what the model wrote, for a call that is no JSON. */
  readonly inputText?: string;
  /** Metadata that the provider wants to see again, such as the signature of a thought. */
  readonly providerMetadata?: ProviderOptions;
}

/** A part of an answer: words, a call, a file that the model made, a source, or something that the provider did itself. */
export type ScriptPart =
  | (ScriptReasoning & { readonly type: 'text' | 'reasoning' })
  | (ScriptToolCall & {
      readonly type: 'tool-call';
      /** True for a tool that the provider itself runs. */
      readonly providerExecuted?: boolean;
    })
  | {
      readonly type: 'tool-result';
      readonly tool: string;
      readonly id: string;
      readonly result: JsonValue;
      readonly isError?: boolean;
      readonly providerMetadata?: ProviderOptions;
    }
  | {
      readonly type: 'file';
      readonly mediaType: string;
      readonly data: FileData;
      readonly providerMetadata?: ProviderOptions;
    }
  | (ModelSource & { readonly type: 'source' })
  | { readonly type: 'custom'; readonly kind: string; readonly providerMetadata?: ProviderOptions };

/** The tokens that a scripted answer counts as. */
export interface ScriptUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
}

export const scriptErrorWords = [
  'auth',
  'context_length',
  'length',
  'filter',
  'refusal',
  'stream_cut',
  'network',
  'malformed',
] as const;

/** The failures besides an HTTP status. */
export type ScriptErrorWord = (typeof scriptErrorWords)[number];

/** An answer with an HTTP status. */
export interface ScriptHttpError {
  readonly status: number;
  /** Such as `2s`. */
  readonly retryAfter?: string;
  readonly message?: string;
  /** The provider's name for it in the body of the answer, such as `insufficient_quota`. */
  readonly code?: string;
  /** False when the provider says that it is of no use to ask again. */
  readonly retry?: boolean;
}

/** A call that never had an answer: the error that was thrown. */
export interface ScriptThrownError {
  readonly message: string;
  /** `Error` unless given. */
  readonly name?: string;
  /** Such as `ECONNRESET`. */
  readonly code?: string;
}
