import type { InFlightLimits, StopCondition } from '../../stop/condition.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState } from './state.js';

type Conditions = readonly StopCondition<string>[];

const known: WeakMap<Conditions, InFlightLimits> = new WeakMap();
let last: { readonly conditions: Conditions; readonly limits: InFlightLimits } | undefined;

/** The tightest limits of conditions that hold while a call is under way; the same list is asked about again and again. */
export function limitsInFlight(conditions: Conditions): InFlightLimits {
  if (last?.conditions === conditions) return last.limits;
  let limits = known.get(conditions);
  if (limits === undefined) {
    limits = conditions.reduce<InFlightLimits>((tightest, condition) => tighter(tightest, condition.limits ?? {}), {});
    known.set(conditions, limits);
  }
  last = { conditions, limits };
  return limits;
}

function tighter(one: InFlightLimits, other: InFlightLimits): InFlightLimits {
  const limits: Record<string, number> = { ...one };
  for (const [name, value] of Object.entries(other) as readonly (readonly [string, number])[]) {
    limits[name] = Math.min(limits[name] ?? Number.POSITIVE_INFINITY, value);
  }
  return limits;
}

/** How much time a call may take at most before a limit of the run or of the iteration is reached. */
export interface TimeLeft {
  readonly ms: number;
  readonly limitMs: number;
  readonly scope: 'run' | 'iteration';
}

export function timeLeft(state: AgentState, rules: AgentRules): TimeLeft | undefined {
  const { runMs, iterationMs } = limitsInFlight(conditionsOf(rules, state));
  if (runMs === undefined && iterationMs === undefined) return undefined;
  const { activeMs, iterationMs: begun } = state.time;
  const ofRun = (runMs ?? Number.POSITIVE_INFINITY) - activeMs;
  const ofIteration = (iterationMs ?? Number.POSITIVE_INFINITY) - (activeMs - begun);
  // A timer needs some time, and what is used up already was weighed before the call.
  return ofRun <= ofIteration
    ? { ms: Math.max(1, ofRun), limitMs: runMs as number, scope: 'run' }
    : { ms: Math.max(1, ofIteration), limitMs: iterationMs as number, scope: 'iteration' };
}

/** The time that a call of a tool may take. */
export function toolTime(state: AgentState, rules: AgentRules, own: number | undefined): number | undefined {
  const { toolMs } = limitsInFlight(conditionsOf(rules, state));
  const left = timeLeft(state, rules)?.ms;
  if (own === undefined && toolMs === undefined && left === undefined) return undefined;
  const none = Number.POSITIVE_INFINITY;
  return Math.min(own ?? none, toolMs ?? none, left ?? none);
}
