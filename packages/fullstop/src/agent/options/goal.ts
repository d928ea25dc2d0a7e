import type { ModelMessage } from '../../models/message.js';
import { checkOptions } from '../../stop/check-option.js';
import type { LoopView } from '../../stop/observation.js';

/** The view of a goal predicate: a snapshot, which stays as it is when the run continues. */
export interface GoalView extends Omit<LoopView, 'messages'> {
  readonly messages: readonly ModelMessage[];
}

/** When a goal is asked: after an iteration, after the tools of an iteration, or after each tool call. */
export type GoalCheck = 'iteration' | 'tool_rounds' | 'tool_call';

/** The purpose of a run: it ends as `completed` when this is reached. */
export interface Goal {
  readonly isReached: (view: GoalView) => boolean | PromiseLike<boolean>;
  readonly check: GoalCheck;
}

/** Options of `goal`. */
export interface GoalOptions {
  /** `iteration` unless given. With `tool_call` calls are made one after the other, and the rest is skipped once it is reached. */
  readonly check?: GoalCheck;
}

/**
 * Makes a goal. It is asked once at a point and its answer is journalled, so that a replay never asks again.
 *
 * @example
 * runAgent({ model, tools, prompt, goal: goal(({ toolCalls }) => toolCalls >= 3, { check: 'tool_call' }) });
 */
export function goal(isReached: Goal['isReached'], options: GoalOptions = {}): Goal {
  const { check = 'iteration' } = checkOptions(options, 'goal', ['check']);
  return { isReached, check };
}
