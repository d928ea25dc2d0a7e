import { itemsOf } from '../../run/log.js';
import type {
  Machine,
  MachineDecision,
  MachineEffect,
  MachineObservation,
  SegmentOpening,
} from '../../run/machine/machine.js';
import { isGoalWaiting } from '../../stop/evaluate.js';
import { resetAfterResume } from '../../stop/resume-conditions.js';
import { assertNever } from '../../termination/assert-never.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import { makeCountedKey, makeModelKey } from './agent-key.js';
import { applyModel, finishAnswer } from './answer.js';
import { applyTool } from './apply-tool.js';
import { atLimit } from './at-limit.js';
import { callEffects } from './call-effects.js';
import { applyCompaction } from './compact.js';
import { addCounts, draftOf } from './draft.js';
import { timeLeft } from './in-flight.js';
import {
  applyPrompt,
  beginIteration,
  closeIteration,
  continueAfterRound,
  openIteration,
  proceedToCall,
  unasked,
} from './iteration.js';
import { outputReserve } from './output-cap.js';
import { type Phase, phases } from './phases.js';
import type { AgentPlan } from './plan.js';
import {
  applyCallJudgement,
  directivesOf,
  finishRound,
  finishRoundIfDone,
  isStopped,
  stopOf,
  stopRound,
} from './round.js';
import { type AgentRules, conditionsOf } from './rules.js';
import { type MachineInput, startState } from './start-state.js';
import {
  type AgentState,
  type Call,
  type CompactionOutcome,
  continueText,
  type Draft,
  type Judgement,
  type ModelOutcome,
} from './state.js';
import { causeOf, noFacts, weigh } from './weigh.js';

export type { MachineInput } from './start-state.js';

export type AgentMachine = Machine<AgentState, AgentPlan, MachineInput>;

type Step = Extract<MachineEffect<AgentPlan>, { type: 'step' }>;

type Apply<T> = (draft: Draft, rules: AgentRules, value: T) => void;

/** How each phase applies what came of its effect, and how a resumed run continues there: `phases.ts` says which phase may follow. */
const handlers: Readonly<Record<Phase, PhaseHandler>> = {
  prompting: { apply: applyPrompt },
  opening: { apply: beginIteration, resume: openIteration },
  compacting: { apply: applyCompaction },
  model: { apply: applyModel, resume: (draft, rules) => proceedToCall(draft, rules, unasked) },
  tools: { apply: applyTool, resume: finishRoundIfDone },
  judging_call: { apply: applyCallJudgement },
  judging_tools: { apply: finishRound },
  judging_answer: { apply: finishAnswer },
  judging_iteration: { apply: closeIteration, resume: continueAfterRound },
};

interface PhaseHandler {
  readonly apply: Apply<Judgement> | Apply<CompactionOutcome> | Apply<ModelOutcome> | Apply<MachineObservation>;
  /** Absent where the effect of the phase is just asked for again. */
  readonly resume?: (draft: Draft, rules: AgentRules) => void;
}

/** The loop of an agent as a fold. One instance serves one execution: it knows which observations were handed out. */
export function agentMachine(rules: AgentRules): AgentMachine {
  let reported = 0;
  return {
    recall: (past) => {
      // Not in a copy made of a spread: it would have a shape of its own, and every decision reads the rules.
      (rules as { past?: AgentRules['past'] }).past = {
        isOver: past.isOver,
        observed: (index) => past.observed(index - reported),
        keysBeforeModel: (modelCalls) => past.keysBefore(makeModelKey(modelCalls + 1)),
        ending: () => past.ending(),
      };
    },
    init: (input) => {
      const draft: Draft = startState(input, rules.hooks.onPrompt ? 'prompting' : 'opening');
      if (!rules.hooks.onPrompt) openIteration(draft, rules);
      return draft;
    },
    decide: (state) => decide(state, rules),
    apply: (state, observation) => apply(state, rules, observation),
    resume: (state, opening) => resume(state, rules, opening),
    settle: (state) => {
      if (state.phase !== 'tools') return state;
      if (!isStopped(state.round) && state.limit === null) return withAsked(state);
      const draft = draftOf(state);
      stopRound(draft, rules);
      return draft;
    },
    atLimit: (state, limit, come) => atLimit(state, rules, limit, come),
    stoppedAt: (state, limit) => {
      const draft = draftOf(state);
      draft.limit = limit;
      return draft;
    },
    idle: (state, milliseconds) => {
      const draft = draftOf(state);
      draft.time = { ...draft.time, lastAt: draft.time.lastAt + milliseconds };
      return draft;
    },
    observe: ({ observations }) => {
      if (observations.length === reported) return undefined;
      const items = itemsOf(observations) as unknown as readonly JsonObject[];
      const first = reported;
      reported = items.length;
      return reported === first + 1 ? items[first] : items.slice(first);
    },
  };
}

/** Marks the calls whose result is asked for outside from here on: they may be under way there when another one stops the round. */
function withAsked(state: AgentState): AgentState {
  if (state.ending !== null || !state.round.some(isToBeAsked)) return state;
  const draft = draftOf(state);
  draft.round = state.round.map((call) => (isToBeAsked(call) ? { ...call, asked: true } : call));
  return draft;
}

function isToBeAsked({ stage, asked }: Call): boolean {
  return stage === 'called' && asked !== true;
}

/** True when a goal waits only for the round to be over. */
function isGoalReached(state: AgentState, rules: AgentRules): boolean {
  const { list, waits } = conditionsOf(rules, state);
  return waits && isGoalWaiting(list, state.conditions);
}

/** The effect that the phase asks for, or the end. */
function decide(state: AgentState, rules: AgentRules): MachineDecision<AgentPlan> {
  if (state.ending !== null) {
    if (!state.endNotified && isNotified(state, rules))
      return askUser(state, makeCountedKey('on_end', state.counts.judgements));
    return endWith(state, rules, state.ending);
  }
  const { effect } = phases[state.phase];
  switch (effect) {
    case 'model_call': {
      const key = makeModelKey(state.counts.modelCalls + 1);
      const plan: AgentPlan = { type: 'model', state };
      const reserve = outputReserve(state, rules);
      // Spelled out: a spread makes an object that is slow to read, in every call.
      const step: Step =
        reserve === undefined
          ? { type: 'step', key, plan, isJson: true }
          : { type: 'step', key, plan, isJson: true, options: { reserve }, isShrinkable: true };
      return { type: 'perform', effects: [step], withdraw: true };
    }
    case 'tool_calls':
      return performCalls(state, rules);
    case 'compaction': {
      const key = makeCountedKey('compact', state.counts.iterations + 1);
      const step: Step = { type: 'step', key, plan: { type: 'compact', state } };
      const left = timeLeft(state, rules);
      const effects = [left === undefined ? step : { ...step, options: { timeoutMs: left.ms } }];
      return { type: 'perform', effects, withdraw: true };
    }
    case 'judgement':
      return askUser(state, makeCountedKey(state.phase, state.counts.judgements));
    default:
      return assertNever('Unknown effect', effect);
  }
}

/** The effects that the calls of the round need next. */
function performCalls(state: AgentState, rules: AgentRules): MachineDecision<AgentPlan> {
  const { concurrency } = rules;
  const effects = callEffects(state, rules);
  const directives = directivesOf(state.round);
  if (effects.length === 1 && isGoalReached(state, rules))
    return { type: 'perform', effects, stopAt: stopOf, isDecided: true };
  if (concurrency === undefined && directives.length === 0) return { type: 'perform', effects, stopAt: stopOf };
  const also = directives.map((directive) => causeOf(directive).termination);
  const limit = concurrency !== undefined && { concurrency };
  return { type: 'perform', effects, stopAt: stopOf, ...limit, ...(also.length > 0 && { also }) };
}

/** True when the user's code hears of the ending, or did when it was reached. */
function isNotified({ counts }: AgentState, { hooks, past }: AgentRules): boolean {
  if (hooks.onEnd) return true;
  return past?.keysBeforeModel(counts.modelCalls).keys.has(makeCountedKey('on_end', counts.judgements)) === true;
}

/**
 * Where there is a schema, only what fits it, or was submitted, is an output; the text is the output otherwise. The output of an agent
 * that took over is the run's, also where it has none, and what a verdict forbids is none.
 */
function endWith(state: AgentState, rules: AgentRules, termination: Ending): MachineDecision<AgentPlan> {
  const { hasOutput, output, text, also, takenOver, withheld } = state;
  const hasText = !takenOver && !withheld && conditionsOf(rules, state).repair === undefined;
  return {
    type: 'end',
    termination,
    withdraw: true,
    ...(also.length > 0 && { also }),
    ...((hasOutput || hasText) && { output: (hasOutput ? output : text) as JsonValue }),
  };
}

function askUser(state: AgentState, key: string): MachineDecision<AgentPlan> {
  return {
    type: 'perform',
    effects: [{ type: 'record', key, plan: { type: 'judge', state } }],
    withdraw: state.phase !== 'judging_call',
  };
}

/** The state after an observation. */
function apply(state: AgentState, rules: AgentRules, observation: MachineObservation): AgentState {
  const draft = draftOf(state);
  const { activeMs, lastAt, iterationMs, iterationTokens } = draft.time;
  const { at, type } = observation;
  if (at > lastAt) {
    // Nobody worked while an answer was waited for.
    const active = type === 'answer' ? activeMs : activeMs + at - lastAt;
    draft.time = { activeMs: active, lastAt: at, iterationMs, iterationTokens };
  }
  if (draft.ending === null) applyInPhase(draft, rules, observation);
  else {
    draft.counts = addCounts(draft.counts, { judgements: 1 });
    draft.endNotified = true;
  }
  return draft;
}

function applyInPhase(draft: Draft, rules: AgentRules, observation: MachineObservation): void {
  const { effect } = phases[draft.phase];
  // Its argument is the outcome of the phase's effect, which the types cannot see here.
  const handler = handlers[draft.phase].apply as Apply<unknown>;
  switch (effect) {
    case 'model_call':
      if (observation.type === 'value') handler(draft, rules, observation.value);
      else applyFailedModelStep(draft, rules, observation);
      return;
    case 'tool_calls':
      handler(draft, rules, observation);
      return;
    case 'compaction':
      handler(draft, rules, compactionOf(observation));
      return;
    case 'judgement':
      draft.counts = addCounts(draft.counts, { judgements: 1 });
      handler(draft, rules, judgementOf(observation));
      return;
    default:
      assertNever('Unknown effect', effect);
  }
}

/** A step that no budget had room for was not performed, and is performed when the run is resumed with more. */
function applyFailedModelStep(draft: Draft, rules: AgentRules, observation: MachineObservation): void {
  const refusal = observation.type === 'error' ? observation.refusal : undefined;
  if (refusal !== undefined) {
    weigh(draft, rules, 'before_call', { ...noFacts, causes: [{ slot: 'budget', termination: refusal }] });
    return;
  }
  // A model step returns its failures as its value; only a value that is not JSON comes as an error.
  const error =
    observation.type === 'error' ? observation.error : { name: 'Error', message: 'The model step returned nothing.' };
  applyModel(draft, rules, { attempts: 1, failure: { type: 'unknown', provider: '', retryable: false, error } });
}

function compactionOf(observation: MachineObservation): CompactionOutcome {
  if (observation.type === 'value') return observation.value as unknown as CompactionOutcome;
  // A compaction that took too long is for the condition whose limit it is.
  if (observation.type === 'error' && observation.error.code === 'STEP_TIMEOUT') return {};
  const error = observation.type === 'error' ? observation.error : { name: 'Error', message: 'Nothing was compacted.' };
  return { failed: { stage: 'result', error } };
}

function judgementOf(observation: MachineObservation): Judgement {
  if (observation.type === 'error') return { error: observation.error };
  return observation.type === 'value' ? ((observation.value ?? {}) as unknown as Judgement) : {};
}

/** Continues in the next segment: counters stay, the detector that fired starts anew, new conditions hold from here on. */
function resume(state: AgentState, rules: AgentRules, opening: SegmentOpening): AgentState {
  const draft = draftOf(state);
  const { guidance, cap } = rules.changeWith(draft.resumed + 1, opening.options);
  const endings = [opening.ending, draft.ending, ...draft.also].filter(
    (ending) => ending !== undefined && ending !== null,
  );
  if (draft.ending !== null) draft.wrapUp = null;
  // It is told once more before it is given up again.
  if (draft.ending?.kind === 'no_answer') draft.silences = 0;
  draft.resumed += 1;
  // A part that may be continued has been, before it comes to this: the ending stands.
  if (draft.takenOver) return draft;
  draft.ending = null;
  draft.also = [];
  draft.limit = null;
  draft.endNotified = false;
  draft.conditions = resetAfterResume(conditionsOf(rules, draft).list, draft.conditions, endings);
  if (cap !== undefined) draft.outputCap = null;
  if (guidance !== undefined) draft.unsaid = [...draft.unsaid.filter((text) => text !== continueText), guidance];
  handlers[draft.phase].resume?.(draft, rules);
  return draft;
}
