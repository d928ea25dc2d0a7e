import { type AnyTermination, type Ending, rootCause, type StopCondition } from 'fullstop';
import { addUsd } from 'fullstop/journal';
import { foldLimits, type LoopObservation } from 'fullstop/machine';
import type { RecordedRun } from './recorded-run.js';

/** The effect that other limits would have had on a run. */
export type Trial =
  /** It would have ended earlier. */
  | {
      readonly status: 'cut';
      readonly runId: string;
      readonly termination: Ending;
      readonly at: LoopObservation;
      readonly counts: RecordedRun['counts'];
      readonly saved: Savings;
      /** True when the run reached a result that it would not have reached. */
      readonly loses: boolean;
    }
  /** The record ends at the old limit, and the new one lies beyond. */
  | { readonly status: 'beyond'; readonly runId: string; readonly was: string }
  /** It would have ended as it did. */
  | { readonly status: 'same'; readonly runId: string; readonly was: string | undefined }
  /** Nothing was observed in it. */
  | { readonly status: 'unknown'; readonly runId: string };

export interface Savings {
  readonly tokens: number;
  readonly costUsd: number;
  /** True when some of it has no known price. */
  readonly unpriced?: boolean;
  /** True when a run that it is from has usage that was guessed. */
  readonly estimated?: boolean;
  readonly ms: number;
  readonly iterations: number;
}

/** Folds limits over what was recorded of a run. Pure: no body, no model, no code of the run. */
export function tryLimits(run: RecordedRun, conditions: readonly StopCondition<string>[]): Trial {
  const { runId, observations, ending } = run;
  const last = observations.at(-1);
  if (last === undefined) return { status: 'unknown', runId };
  const cut = foldLimits(observations, conditions);
  const isGoal = ending?.category === 'success';
  // At the same point a goal that was reached wins over any limit; but facts without room would not have been there to reach it.
  const isReached = isGoal && cut?.index === observations.length - 1 && cut.termination.kind !== 'fact_budget';
  if (cut === undefined || isReached) return standing(run, conditions);
  return {
    status: 'cut',
    runId,
    termination: cut.termination,
    at: cut.observation,
    counts: run.counts,
    saved: difference(last, cut.observation),
    loses: ending?.outcome === 'succeeded',
  };
}

function standing({ runId, ending }: RecordedRun, conditions: readonly StopCondition<string>[]): Trial {
  if (ending === undefined) return { status: 'same', runId, was: undefined };
  const cause: AnyTermination = rootCause(ending.termination);
  const isReplaced = conditions.some(({ kinds }) => kinds.includes(cause.kind));
  return isReplaced
    ? { status: 'beyond', runId, was: cause.kind }
    : { status: 'same', runId, was: ending.termination.kind };
}

function difference(last: LoopObservation, at: LoopObservation): Savings {
  return {
    tokens: last.usage.totalTokens - at.usage.totalTokens,
    costUsd: addUsd(last.costUsd ?? 0, -(at.costUsd ?? 0)),
    ...((last.costUsd === null || at.costUsd === null) && { unpriced: true }),
    ...(last.estimated === true && { estimated: true }),
    ms: last.activeMs - at.activeMs,
    iterations: last.iterations - at.iterations,
  };
}

/** All trials of one set of limits together. */
export interface TrialTotals {
  readonly runs: number;
  readonly cut: number;
  readonly beyond: number;
  readonly unknown: number;
  /** Runs that reached a result, and those of them that still would have. */
  readonly results: number;
  readonly kept: number;
  readonly saved: Savings;
  /** The usage of all runs. */
  readonly spent: Savings;
}

export function totalsOf(runs: readonly RecordedRun[], trials: readonly Trial[]): TrialTotals {
  const results = runs.filter(({ ending }) => ending?.outcome === 'succeeded').length;
  const cuts = trials.flatMap((trial) => (trial.status === 'cut' ? [trial] : []));
  return {
    runs: runs.length,
    cut: cuts.length,
    beyond: trials.filter(({ status }) => status === 'beyond').length,
    unknown: trials.filter(({ status }) => status === 'unknown').length,
    results,
    kept: results - cuts.filter(({ loses }) => loses).length,
    saved: sum(cuts.map(({ saved }) => saved)),
    spent: sum(runs.flatMap(({ observations }) => observations.at(-1) ?? []).map((last) => difference(last, nothing))),
  };
}

const nothing: LoopObservation = {
  point: 'end',
  iterations: 0,
  rounds: 0,
  toolCalls: 0,
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  costUsd: 0,
  activeMs: 0,
};

function sum(parts: readonly Savings[]): Savings {
  return parts.reduce(
    (all, { tokens, costUsd, unpriced = false, estimated = false, ms, iterations }) => ({
      tokens: all.tokens + tokens,
      costUsd: addUsd(all.costUsd, costUsd),
      ...((all.unpriced === true || unpriced) && { unpriced: true }),
      ...((all.estimated === true || estimated) && { estimated: true }),
      ms: all.ms + ms,
      iterations: all.iterations + iterations,
    }),
    { tokens: 0, costUsd: 0, ms: 0, iterations: 0 } as Savings,
  );
}
