import type { JsonObject, JsonValue } from '../termination/json.js';

/** Settings and marks of a provider, by the provider's name. They go back to it exactly as they came. */
export interface ProviderOptions {
  readonly [provider: string]: JsonObject;
}

/**
 * One message of a conversation, plain JSON. Wherever the specifications of models agree it is already in their form, so
 * that a long conversation is handed over as it is.
 */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Instructions to the model. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
  readonly providerOptions?: ProviderOptions;
}

/** A message of the user, with text and files. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly (TextPart | FilePart)[];
  readonly providerOptions?: ProviderOptions;
}

/** A message of the model, with text, reasoning, files and calls of tools. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | readonly AssistantPart[];
  readonly providerOptions?: ProviderOptions;
}

/** The results of the calls of the assistant message before it. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
  readonly providerOptions?: ProviderOptions;
}

/** One part of a message of the model. */
export type AssistantPart = TextPart | ReasoningPart | FilePart | ToolCallPart | ToolResultPart | CustomPart;

/** A text in a message. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

/** The thoughts of the model; their signature, where there is one, is among the provider options. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

/** A file in a message, by its content or address. */
export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data: FileData;
  readonly filename?: string;
  readonly providerOptions?: ProviderOptions;
}

/** The bytes in base64, or where they are. */
export type FileData =
  | { readonly type: 'data'; readonly data: string }
  | { readonly type: 'url'; readonly url: string };

/** A call of a tool in a message of the model. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** True for a tool that the provider itself runs. */
  readonly providerExecuted?: boolean;
  readonly providerOptions?: ProviderOptions;
}

/** The result of a call of a tool, in a message to the model. */
export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolOutput;
  readonly providerOptions?: ProviderOptions;
}

/** Something only its provider understands; models before specification v4 do not get it. */
export interface CustomPart {
  readonly type: 'custom';
  readonly kind: string;
  readonly providerOptions?: ProviderOptions;
}

/** The result of a tool as the model sees it. */
export type ToolOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string; readonly providerOptions?: ProviderOptions }
  | { readonly type: 'json' | 'error-json'; readonly value: JsonValue; readonly providerOptions?: ProviderOptions }
  | { readonly type: 'execution-denied'; readonly reason?: string; readonly providerOptions?: ProviderOptions }
  | { readonly type: 'content'; readonly value: readonly (TextPart | FilePart)[] };
