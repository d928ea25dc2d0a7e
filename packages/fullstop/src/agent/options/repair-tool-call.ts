import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { ModelMessage } from '../../models/message.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';

/** A call of the model that cannot be made as it is. */
export interface BrokenCallView {
  readonly toolCallId: string;
  /** The tool as the model wrote it. */
  readonly tool: string;
  /** The arguments; `{}` where they are not JSON. */
  readonly input: JsonValue;
  /** The model's own text, where the arguments are not JSON. */
  readonly inputText?: string;
  readonly problem: 'unknown_tool' | 'bad_arguments';
  /** The problem, in the words in which the model would be told. */
  readonly message: string;
  /** The tools that the model was offered. */
  readonly tools: readonly string[];
  /** The JSON Schema of the arguments, where there is such a tool. */
  readonly inputSchema?: JsonObject;
  readonly messages: readonly ModelMessage[];
  readonly signal: AbortSignalLike;
}

/** The call to make instead; what is left out stays as it was. */
export interface RepairedCall {
  readonly tool?: string;
  readonly input?: JsonValue;
}

/**
 * Asked once about each call that cannot be made. Its answer is in the journal with the answer of the model; nothing, or a call
 * that does not fit either, leaves the model to read what was wrong.
 */
export type RepairToolCall = (call: BrokenCallView) => RepairedCall | undefined | PromiseLike<RepairedCall | undefined>;
