import type { Ending, Outcome } from '../../termination/ending.js';
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

interface StageRunBase {
  readonly name: string;
  readonly termination: AnyTermination;
  /** 1 for the first. */
  readonly attempts: number;
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
