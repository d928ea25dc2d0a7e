import type { StopCondition } from './condition.js';
import type { HardLimits, LoopObservation } from './observation.js';

/** A run asks at every evaluation point, with the same list each time. */
const known: WeakMap<readonly StopCondition<string>[], HardLimits> = new WeakMap();

/** The tightest hard budgets that hold for a run: those of its conditions and those from outside. */
export function hardLimits(
  conditions: readonly StopCondition<string>[],
  { budgets }: Pick<LoopObservation, 'budgets'> = {},
): HardLimits {
  const own = known.get(conditions) ?? conditions.map(limitsOf).reduce(tighter, {});
  known.set(conditions, own);
  return budgets === undefined ? own : tighter(own, budgets);
}

function limitsOf({ limits: { runMs, costUsd, tokens } = {} }: StopCondition<string>): HardLimits {
  return present(runMs, costUsd, tokens);
}

function tighter(one: HardLimits, other: HardLimits): HardLimits {
  return present(
    tightest(one.timeMs, other.timeMs),
    tightest(one.costUsd, other.costUsd),
    tightest(one.tokens, other.tokens),
  );
}

function present(timeMs?: number, costUsd?: number, tokens?: number): HardLimits {
  return {
    ...(timeMs !== undefined && { timeMs }),
    ...(costUsd !== undefined && { costUsd }),
    ...(tokens !== undefined && { tokens }),
  };
}

function tightest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
