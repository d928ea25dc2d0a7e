import type { TokenUsage } from '../../engines/port/usage.js';
import type { ModelMessage, ToolOutput } from '../../models/message.js';
import type { Ending, Outcome } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { TerminationRegistry } from '../../termination/registry.js';

/** How the executor of a stage ended, whatever the stage makes of it. */
export interface ExecutorEnding {
  readonly name: string;
  readonly termination: AnyTermination;
}

/** A stage that has ended, as later stages see it. */
export interface StageView<TOutput = unknown> {
  readonly name: string;
  /** The verdict that the pipeline acts on. */
  readonly outcome: Outcome;
  /** Why it ended, as `onCompleted` says if there is one. */
  readonly termination: AnyTermination;
  readonly executor: ExecutorEnding;
  readonly output: TOutput;
}

/** Everything else that is known of the work of a stage: what it used, and the conversation of an agent. */
export interface ExecutorDetails {
  readonly usage: TokenUsage;
  /** Null when a price is not known. */
  readonly costUsd: number | null;
  /** True when some of the usage was guessed, because a provider did not report it. */
  readonly estimated?: boolean;
  /** The latest answer of an agent; the following are of agents too. */
  readonly text?: string;
  readonly messages?: readonly ModelMessage[];
  readonly toolCalls?: readonly ExecutorToolCall[];
  readonly iterations?: readonly ExecutorIteration[];
}

/** A tool call of an agent, with its result. */
export interface ExecutorToolCall {
  readonly id: string;
  readonly iteration: number;
  readonly tool: string;
  readonly input: JsonValue;
  readonly output: ToolOutput;
  readonly error?: ErrorData;
}

/** An iteration of an agent. */
export interface ExecutorIteration {
  readonly iteration: number;
  readonly text: string;
  readonly finish: string;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface StageRunBase {
  readonly name: string;
  readonly termination: AnyTermination;
  /** 1 for the first. */
  readonly attempts: number;
  /** Absent where the work was broken off from outside. */
  readonly details?: ExecutorDetails;
}

/** The finished work of a stage, as the callbacks of the stage see it. */
export type StageRun<TOutput = unknown> =
  | (StageRunBase & { readonly outcome: 'succeeded'; readonly output: TOutput })
  | (StageRunBase & { readonly outcome: Exclude<Outcome, 'succeeded'>; readonly output?: TOutput });

/** True for the outcomes after which a pipeline continues. */
export function isFine(outcome: Outcome): boolean {
  return outcome === 'succeeded' || outcome === 'skipped';
}

/** True for an ending that waits for a person: nothing may be done instead. */
export function isPause(registry: TerminationRegistry, termination: Ending): boolean {
  try {
    return registry.find(termination.kind)?.category(termination) === 'paused';
  } catch {
    return false;
  }
}

/** True for an ending that other work may replace: neither fine nor a pause. */
export function isFailure(registry: TerminationRegistry, termination: Ending): boolean {
  return !isFine(outcomeIn(registry, termination)) && !isPause(registry, termination);
}

/** The outcome of an ending of any kind; one that nobody knows, or whose definition throws, is a failure. */
export function outcomeIn(registry: TerminationRegistry, termination: Ending): Outcome {
  try {
    return registry.find(termination.kind)?.outcome(termination) ?? 'failed';
  } catch {
    return 'failed';
  }
}
