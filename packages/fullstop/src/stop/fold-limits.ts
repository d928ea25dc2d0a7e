import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { EndingOfKind, StopCondition } from './condition.js';
import { evaluateConditions } from './evaluate.js';
import type { ConditionStates, LoopObservation, ObservedText } from './observation.js';
import { tailLength } from './observe.js';
import { checkConditions } from './resume-conditions.js';

/** Where other limits would have ended a recorded run. */
export interface EarlierEnding<TEnding extends Ending = Ending> {
  /** The place of the observation in the list. */
  readonly index: number;
  readonly observation: LoopObservation;
  readonly termination: TEnding;
  readonly also: readonly TEnding[];
}

/**
 * Folds other limits over the observations of a recorded run and says where they would have ended it; undefined when
 * nowhere. Only limits that cut a run short can be tried: with the others the run itself would have been different.
 */
export function foldLimits<TKind extends string>(
  observations: readonly LoopObservation[],
  conditions: readonly StopCondition<TKind>[],
): EarlierEnding<EndingOfKind<TKind>> | undefined {
  for (const condition of checkConditions(conditions)) refuseSteering(condition, observations);
  let states: ConditionStates = {};
  for (const [index, observation] of observations.entries()) {
    const evaluation = evaluateConditions(conditions, states, observation);
    if (evaluation.winner !== undefined) {
      return { index, observation, termination: evaluation.winner, also: evaluation.also };
    }
    states = evaluation.states;
  }
  return undefined;
}

function refuseSteering(condition: StopCondition<string>, observations: readonly LoopObservation[]): void {
  const { name, steers, reads } = condition;
  if (steers !== undefined) {
    throw new FullstopError('INVALID_OPTION', `${name} cannot be tried on a recorded run: ${steers}.`);
  }
  if (reads !== undefined && observations.some(({ text }) => text !== undefined && lacksContent(text, reads))) {
    throw new FullstopError(
      'INVALID_OPTION',
      `${name} cannot be tried on this recorded run: the texts it would read were not kept in the observations.`,
    );
  }
}

function lacksContent({ content = '', length }: ObservedText, reads: 'whole' | 'tail'): boolean {
  return content.length < (reads === 'whole' ? length : Math.min(length, tailLength));
}
