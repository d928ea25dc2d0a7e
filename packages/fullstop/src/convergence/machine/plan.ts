import type { Category, Ending } from '../../termination/ending.js';
import type { AnySuggestor, SuggestorOutcome } from '../options/suggestor.js';
import type { Rules } from './rules.js';
import type { ConvergenceState } from './state.js';

/** The work that the loop asks of its performer. */
export type ConvergencePlan =
  | { readonly type: 'cycle'; readonly state: ConvergenceState }
  | { readonly type: 'output'; readonly state: ConvergenceState }
  | { readonly type: 'suggest'; readonly state: ConvergenceState; readonly suggestor: AnySuggestor };

/** The output of a unit for the loop, whatever its ending. */
export interface UnitOutcome extends SuggestorOutcome {
  readonly path: string;
}

/** The category of a unit's ending; undefined for a third party's kind that the loop does not know, which is no success. */
export function categoryOf({ registry }: Rules, termination: Ending): Category | undefined {
  try {
    return registry.find(termination.kind)?.category(termination);
  } catch {
    return undefined;
  }
}
