import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { AiStep } from '../ai-sdk/structure.js';

// The shapes of Mastra that we read; its steps are those of the AI SDK. Nothing is imported from it.

/** An agent of Mastra. */
export interface MastraAgentLike {
  generate(messages: unknown, options: object): PromiseLike<unknown>;
  stream?(messages: unknown, options: object): PromiseLike<unknown>;
  resumeGenerate?(data: unknown, options: object): PromiseLike<unknown>;
}

/** The options of a call that we read or replace; all others pass through. */
export interface MastraCallOptions {
  readonly maxSteps?: number;
  readonly stopWhen?: unknown;
  readonly abortSignal?: AbortSignalLike | undefined;
}

/** The result of `generate`, and what `onFinish` of `stream` is told. */
export interface MastraResult {
  readonly finishReason?: string;
  readonly text?: string;
  readonly steps?: readonly AiStep[];
  readonly runId?: string;
  readonly suspendPayload?: MastraSuspension;
  readonly tripwire?: unknown;
  readonly error?: unknown;
  readonly object?: unknown;
}

export interface MastraSuspension {
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly args?: unknown;
  readonly suspendPayload?: unknown;
  readonly resumeSchema?: unknown;
}
