import type { StopCondition } from 'fullstop';
import type { LoopObservation } from 'fullstop/machine';
import { UsageError } from '../command-line/usage-error.js';
import type { CycleObservation } from '../journal/cycle-observation.js';

/** The record of the end of a cycle of a convergence. */
export interface ConvergenceObservation extends LoopObservation {
  readonly merge: CycleObservation;
}

/** Ends a convergence that would begin another cycle after this many. */
export function maxCycles(limit: number): StopCondition<'cycle_budget'> {
  return condition('max-cycles', 'cycle_budget', limit, ({ cycle, awake }) =>
    awake.length > 0 && cycle >= limit ? { kind: 'cycle_budget', limit, used: cycle } : undefined,
  );
}

/** Ends a convergence with the first fact beyond this many. */
export function maxFacts(limit: number): StopCondition<'fact_budget'> {
  return condition('max-facts', 'fact_budget', limit, ({ facts, held }) =>
    facts > limit || (held > 0 && facts === limit) ? { kind: 'fact_budget', limit, used: limit } : undefined,
  );
}

type Verdict<TKind extends string> = ReturnType<StopCondition<TKind>['fold']['evaluate']>;

function condition<TKind extends 'cycle_budget' | 'fact_budget'>(
  type: string,
  kind: TKind,
  limit: number,
  judge: (merge: CycleObservation) => Verdict<TKind>,
): StopCondition<TKind> {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new UsageError(`--${type} is ${limit}; it must be a whole number above 0.`, { command: 'what-if' });
  return {
    name: type,
    kinds: [kind],
    slot: 'budget',
    restarts: false,
    fold: {
      init: () => null,
      evaluate: (_state, observation) => {
        const { merge } = observation as Partial<ConvergenceObservation>;
        return merge === undefined ? undefined : judge(merge);
      },
    },
    toJSON: () => ({ type, limit }),
  };
}
