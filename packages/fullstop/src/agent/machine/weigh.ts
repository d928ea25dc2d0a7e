import { classifyError } from '../../run/ending/classify-error.js';
import { added } from '../../run/log.js';
import { evaluateConditions } from '../../stop/evaluate.js';
import type { EvaluationPoint, LoopObservation } from '../../stop/observation.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import type { Completed } from '../../termination/kinds/completion.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState, Draft, JournalledDirective, Judgement } from './state.js';

/**
 * The facts that belong to one evaluation point. Every member is there, with undefined where the point has no such fact: facts of
 * many shapes take longer to read than all conditions to weigh.
 */
export type WeighedFacts = {
  readonly [K in 'text' | 'calls' | 'mistake' | 'iterationTokens' | 'finalization' | 'verdicts' | 'forbidding']:
    | LoopObservation[K]
    | undefined;
} & {
  readonly causes: readonly Cause[];
  /** Causes that lost already. */
  readonly lost: readonly Ending[];
};

export const nothing: readonly never[] = [];

/** No fact at all, to begin with where a point is rare. */
export const noFacts: WeighedFacts = {
  causes: nothing,
  lost: nothing,
  text: undefined,
  calls: undefined,
  mistake: undefined,
  iterationTokens: undefined,
  finalization: undefined,
  verdicts: undefined,
  forbidding: undefined,
};

/** Weighs all reasons to end at a point: the draft then has an ending, or the loop continues. */
export function weigh(draft: Draft, rules: AgentRules, point: EvaluationPoint, facts: WeighedFacts): void {
  const observation = observe(draft, point, facts);
  const { winner, states, also } = evaluateConditions(
    conditionsOf(rules, draft).list,
    draft.conditions,
    observation,
    facts.causes,
  );
  const ending = endingInJournal(draft, rules, winner as Ending | undefined);
  draft.observations = added(draft.observations, ending === undefined ? observation : { ...observation, states });
  draft.conditions = states;
  if (ending === undefined) return;
  draft.ending = ending;
  draft.also = ending === winner ? [...(also as readonly Ending[]), ...facts.lost] : [];
  if (facts.forbidding !== undefined) withhold(draft);
}

/** An answer that a verdict forbids or holds is nobody's output, neither now nor after a resume that brings another answer. */
function withhold(draft: Draft): void {
  draft.output = null;
  draft.hasOutput = false;
  draft.withheld = true;
}

/** The ending at a point of the past is the one that the journal has: conditions that were changed since then hold from its front on. */
function endingInJournal(
  { observations }: AgentState,
  { past }: AgentRules,
  winner: Ending | undefined,
): Ending | undefined {
  if (past === undefined || past.isOver()) return winner;
  const before = past.observed(observations.length);
  if (before === undefined) return winner;
  return before['states'] === undefined ? undefined : (winner ?? past.ending());
}

const reached: Cause = { slot: 'goal', termination: { kind: 'completed', check: 'iteration' } as Ending };

/** True when something would end the run after a round that a reached goal would win over. */
export function wouldEndAfterTools(draft: Draft, rules: AgentRules, facts: WeighedFacts): boolean {
  const observation = observe(draft, 'after_tools', facts);
  const causes = [reached];
  const { winner, also } = evaluateConditions(conditionsOf(rules, draft).list, draft.conditions, observation, causes);
  return winner === reached.termination && also.length > 0;
}

/** True when a goal of the run is what it would end with at a point. */
export function wouldReachGoal(
  state: AgentState,
  rules: AgentRules,
  point: EvaluationPoint,
  facts: WeighedFacts,
): boolean {
  const observation = observe(state, point, facts);
  const { list } = conditionsOf(rules, state);
  return evaluateConditions(list, state.conditions, observation, facts.causes).isGoal === true;
}

type ObservationDraft = { -readonly [K in keyof LoopObservation]: LoopObservation[K] | undefined };

// One literal for all points, with undefined where a point has no such fact: every condition reads every observation, and
// reading objects of many shapes takes longer than all conditions together.
function observe(state: AgentState, point: EvaluationPoint, facts: WeighedFacts): LoopObservation {
  const { counts, time, usage, costUsd, finish, estimated } = state;
  const { iterations, rounds, toolCalls } = counts;
  const { activeMs } = time;
  const observation: ObservationDraft = {
    point,
    iterations,
    rounds,
    toolCalls,
    usage,
    costUsd,
    activeMs,
    iterationMs: activeMs - time.iterationMs,
    finish: finish === '' ? undefined : finish,
    text: facts.text,
    calls: facts.calls,
    iterationTokens: facts.iterationTokens,
  };
  const { mistake, finalization, verdicts, forbidding } = facts;
  if (estimated) observation.estimated = true;
  if (mistake !== undefined) observation.mistake = mistake;
  if (finalization !== undefined) observation.finalization = finalization;
  if (verdicts !== undefined) observation.verdicts = verdicts;
  if (forbidding !== undefined) observation.forbidding = forbidding;
  return observation as LoopObservation;
}

/** The totals that conditions may read at a point, without the facts that belong to that point alone. */
export function observeTotals(state: AgentState, point: EvaluationPoint): LoopObservation {
  return observe(state, point, noFacts);
}

/** The cause of an ending that a directive of a hook or tool is. */
export function causeOf(directive: JournalledDirective): Cause {
  switch (directive.type) {
    case 'halt': {
      const { by: type, name, reason } = directive;
      return { slot: 'halted', termination: { kind: 'halted', by: { type, name }, reason } as Ending };
    }
    case 'fail': {
      const { hook, error } = directive;
      const evidence = { ...error, data: { ...error.data, hook } };
      const errorClass = classifyError(error);
      return {
        slot: 'step_error',
        termination: { kind: 'failed', error: evidence, origin: 'hook', errorClass } as Ending,
      };
    }
    case 'submit': {
      const { tool, value } = directive;
      const deliverable = value !== undefined && { deliverable: value };
      return { slot: 'goal', termination: { kind: 'submitted', tool, ...deliverable } as Ending };
    }
    case 'finish': {
      const { plugin, reason } = directive;
      return {
        slot: 'goal',
        termination: { kind: 'plugin_requested', plugin, ...(reason !== undefined && { reason }) } as Ending,
      };
    }
  }
}

const noCauses: readonly Cause[] = [];

/** The causes in a judgement of the user's code. */
export function causesOf(judgement: Judgement, check: Completed['check']): readonly Cause[] {
  const { goal, directive, error } = judgement;
  if (goal === undefined && directive === undefined && error === undefined) return noCauses;
  const causes: Cause[] = [];
  if (error !== undefined) {
    // A callback may throw anything; only a wrong return value is known to be the program's fault.
    const errorClass = error.code === 'INVALID_OPTION' ? 'configuration' : 'unknown';
    const termination = { kind: 'failed', error, origin: 'loop', errorClass } as Ending;
    causes.push({ slot: 'step_error', termination });
  }
  if (directive !== undefined) causes.push(causeOf(directive));
  if (goal === true) causes.push({ slot: 'goal', termination: { kind: 'completed', check } as Ending });
  return causes;
}
