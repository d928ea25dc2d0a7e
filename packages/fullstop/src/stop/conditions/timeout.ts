import type { TimeBudget } from '../../termination/kinds/limit.js';
import { checkOptions, invalidOption } from '../check-option.js';
import { defineCondition, type InFlightLimits, type StopCondition } from '../condition.js';
import { type Duration, durationLimit } from '../duration.js';
import type { LoopObservation } from '../observation.js';

/** Limits of active time. */
export interface TimeoutOptions {
  /** For the whole run. */
  readonly run?: Duration;
  /** For each iteration. */
  readonly iteration?: Duration;
  /**
   * For each attempt of a model call; ends the run only when no attempt and no fallback is left. Unless given, an attempt is given
   * up when nothing was heard of it for 10 minutes; `false` waits for ever.
   */
  readonly model?: Duration | false;
  /** For each tool call; the model gets an error result, and the run never ends because of it. */
  readonly tool?: Duration;
}

/** A timeout that no run ends by: for tool calls alone, or for no model call. */
export type ToolTimeoutOptions = { readonly run?: never; readonly iteration?: never } & (
  | { readonly tool: Duration; readonly model?: false }
  | { readonly tool?: Duration; readonly model: false }
);

const scopes = ['run', 'iteration', 'model', 'tool'] as const;

/** No round is faster than this, however coarse the clock that measured it. */
const shortestRoundMs = 0.001;

/** Ends the run when it, or one of its parts, takes too long. */
export function timeout(options: ToolTimeoutOptions): StopCondition<never>;
export function timeout(options: TimeoutOptions): StopCondition<'time_budget'>;
export function timeout(options: TimeoutOptions): StopCondition<'time_budget'> {
  const given = readOptions(options);
  const limits = toMilliseconds(given);
  const { runMs, iterationMs, modelMs, toolMs } = limits;
  const endsRuns = runMs !== undefined || iterationMs !== undefined || (modelMs ?? noLimit) !== noLimit;
  return defineCondition<'time_budget'>({
    json: { type: 'timeout', ...Object.fromEntries(given) },
    kinds: endsRuns ? ['time_budget'] : [],
    slot: 'budget',
    limits,
    completeWith: ({ type: _, ...old }) => timeout({ ...(old as TimeoutOptions), ...options }),
    ...((modelMs ?? toolMs) !== undefined && {
      steers: 'a call that took longer would have been cut off, and the model would have seen that',
    }),
    evaluate: (_state, observation) =>
      reached('run', runMs, elapsedOfRun(observation)) ?? reached('iteration', iterationMs, observation.iterationMs),
  });
}

/** The limit of a scope that is turned off. */
const noLimit = Number.POSITIVE_INFINITY;

type GivenScope = readonly [scope: (typeof scopes)[number], limit: Duration | false];

function readOptions(options: TimeoutOptions): readonly GivenScope[] {
  const builder = 'timeout';
  const checked = checkOptions(options, builder, scopes);
  const given = scopes.flatMap((scope) => {
    const limit = checked[scope];
    return limit === undefined ? [] : [[scope, limit] as const];
  });
  if (given.length > 0) return given;
  throw invalidOption(options, { builder, option: '' }, `an object with at least one of ${scopes.join(', ')}`);
}

function toMilliseconds(given: readonly GivenScope[]): InFlightLimits {
  const builder = 'timeout';
  return Object.fromEntries(
    given.map(([scope, limit]) => [
      `${scope}Ms`,
      scope === 'model' && limit === false ? noLimit : durationLimit(limit, { builder, option: scope }),
    ]),
  );
}

function elapsedOfRun({ activeMs, rounds }: LoopObservation): number {
  return rounds > 0 ? Math.max(activeMs, shortestRoundMs) : activeMs;
}

function reached(
  scope: 'run' | 'iteration',
  limitMs: number | undefined,
  elapsedMs: number | undefined,
): TimeBudget | undefined {
  if (limitMs === undefined || elapsedMs === undefined || elapsedMs < limitMs) return undefined;
  return { kind: 'time_budget', limitMs, elapsedMs, scope };
}
