import type { AbortSignalLike } from '../../engines/port/engine.js';

// The shapes of the OpenAI Agents SDK that we read. Nothing is imported from it.

/** An item of a conversation: a message, a call, a result. */
export interface AgentItem {
  readonly type?: string;
  readonly role?: string;
  readonly status?: string;
  readonly content?: unknown;
  readonly callId?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: unknown;
}

export interface AgentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** The answer of a model. */
export interface AgentModelResponse {
  readonly usage?: AgentUsage;
  readonly output: readonly AgentItem[];
  /** The provider's own response. */
  readonly providerData?: unknown;
}

/** A model of the SDK. */
export interface AgentModel {
  getResponse(request: unknown): Promise<AgentModelResponse>;
  getStreamedResponse(request: unknown): AsyncIterable<unknown>;
}

/** A state of a run that can be written down. */
export interface AgentRunState {
  toString(): string;
  approve(item: unknown, options?: object): void;
  reject(item: unknown, options?: object): void;
  getInterruptions?(): readonly AgentInterruption[];
}

export interface AgentInterruption {
  readonly rawItem: AgentItem;
  readonly name?: string;
}

/** The result of a run. */
export interface AgentResult {
  readonly finalOutput?: unknown;
  readonly newItems: readonly { readonly type: string; readonly rawItem: AgentItem }[];
  readonly rawResponses: readonly AgentModelResponse[];
  readonly interruptions?: readonly AgentInterruption[];
  readonly state: AgentRunState;
  readonly cancelled?: boolean;
  readonly completed?: PromiseLike<unknown>;
  readonly error?: unknown;
}

/** The argument of `callModelInputFilter`. */
export interface FilterArguments {
  readonly modelData: { readonly input: readonly AgentItem[]; readonly instructions?: string };
  readonly agent: unknown;
  readonly context: unknown;
}

/** The options of a run that we read or replace; all others pass through. */
export interface AgentRunOptions {
  readonly stream?: boolean;
  readonly maxTurns?: number | null;
  readonly signal?: AbortSignalLike | undefined;
  readonly callModelInputFilter?: (given: never) => unknown;
  readonly errorHandlers?: Readonly<Record<string, unknown>>;
}
