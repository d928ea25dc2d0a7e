import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState } from './state.js';

/** How much time a call may take at most before a limit of the run or of the iteration is reached. */
export interface TimeLeft {
  readonly ms: number;
  readonly limitMs: number;
  readonly scope: 'run' | 'iteration';
}

export function timeLeft(state: AgentState, rules: AgentRules): TimeLeft | undefined {
  const { runMs, iterationMs } = conditionsOf(rules, state).limits;
  if (runMs === undefined && iterationMs === undefined) return undefined;
  const { activeMs, iterationMs: begun } = state.time;
  const ofRun = (runMs ?? Number.POSITIVE_INFINITY) - activeMs;
  const ofIteration = (iterationMs ?? Number.POSITIVE_INFINITY) - (activeMs - begun);
  // A timer needs some time, and a limit that is used up already was weighed before the call.
  return ofRun <= ofIteration
    ? { ms: Math.max(1, ofRun), limitMs: runMs as number, scope: 'run' }
    : { ms: Math.max(1, ofIteration), limitMs: iterationMs as number, scope: 'iteration' };
}

/** The time that an attempt of a model call may take, or may be silent: without an answer, or without a part of a streamed one. */
export interface ModelTime {
  readonly timeoutMs: number | undefined;
  readonly silenceMs: number | undefined;
}

/** How long a model may be silent unless a condition says how long its attempts may take. */
const usualSilence: ModelTime = { timeoutMs: undefined, silenceMs: 600_000 };
const anyTime: ModelTime = { timeoutMs: undefined, silenceMs: undefined };

export function modelTime(state: AgentState, rules: AgentRules): ModelTime {
  const { modelMs } = conditionsOf(rules, state).limits;
  if (modelMs === undefined) return usualSilence;
  return modelMs === Number.POSITIVE_INFINITY ? anyTime : { timeoutMs: modelMs, silenceMs: undefined };
}

/** The time that a call of a tool may take. */
export function toolTime(state: AgentState, rules: AgentRules, own: number | undefined): number | undefined {
  const { toolMs } = conditionsOf(rules, state).limits;
  const left = timeLeft(state, rules)?.ms;
  if (own === undefined && toolMs === undefined && left === undefined) return undefined;
  const none = Number.POSITIVE_INFINITY;
  return Math.min(own ?? none, toolMs ?? none, left ?? none);
}
