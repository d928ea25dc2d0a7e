import type { ModelMessage } from '../../models/message.js';
import { itemsOf } from '../../run/log.js';
import type { Decision, Effect, Machine, Observation, SegmentOpening } from '../../run/machine/machine.js';
import { resetAfterResume } from '../../stop/resume-conditions.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import { makeCountedKey, makeModelKey } from './agent-key.js';
import { applyModel, finishAnswer } from './answer.js';
import { applyTool } from './apply-tool.js';
import { callEffects } from './call-effects.js';
import { applyCompaction } from './compact.js';
import { counted, draftOf } from './draft.js';
import { timeLeft } from './in-flight.js';
import {
  afterRound,
  beforeCall,
  beginIteration,
  closeIteration,
  endingsOf,
  openIteration,
  takePrompt,
  unasked,
} from './iteration.js';
import { outputReserve } from './output-cap.js';
import type { AgentPlan } from './plan.js';
import { directivesOf, finishIfDone, finishRound, judgeCall } from './round.js';
import { type AgentRules, conditionsOf } from './rules.js';
import { startState } from './start-state.js';
import {
  type AgentState,
  type CompactionOutcome,
  type Draft,
  goOn,
  type Judgement,
  type ModelOutcome,
  type Phase,
} from './state.js';
import { causeOf, weigh } from './weigh.js';

export interface MachineInput {
  readonly messages: readonly ModelMessage[];
  readonly at: number;
}

export type AgentMachine = Machine<AgentState, AgentPlan, MachineInput>;

type Step = Extract<Effect<AgentPlan>, { type: 'step' }>;

/** The loop of an agent as a fold. One instance serves one execution: it knows which observations were handed out. */
export function agentMachine(rules: AgentRules): AgentMachine {
  let told = 0;
  return {
    init: ({ messages, at }) => {
      const draft: Draft = startState(messages, at);
      if (rules.hooks.onPrompt) draft.phase = 'prompting';
      else openIteration(draft, rules);
      return draft;
    },
    decide: (state) => decide(state, rules),
    apply: (state, observation) => {
      const draft = draftOf(state);
      passTime(draft, observation);
      apply(draft, rules, observation);
      return draft;
    },
    resume: (state, opening) => {
      const draft = draftOf(state);
      resume(draft, rules, opening);
      return draft;
    },
    idle: (state, milliseconds) => {
      const draft = draftOf(state);
      draft.time = { ...draft.time, lastAt: draft.time.lastAt + milliseconds };
      return draft;
    },
    observe: ({ observations }) => {
      if (observations.length === told) return undefined;
      const items = itemsOf(observations) as unknown as readonly JsonObject[];
      const first = told;
      told = items.length;
      return told === first + 1 ? items[first] : items.slice(first);
    },
  };
}

function decide(state: AgentState, rules: AgentRules): Decision<AgentPlan> {
  if (state.ending !== null) {
    if (rules.hooks.onEnd && !state.endTold) return recordOf(state, makeCountedKey('on_end', state.counts.judgements));
    const output = state.hasOutput ? state.output : state.text;
    const also = state.also.length > 0 && { also: state.also };
    return { type: 'end', termination: state.ending, ...also, output: output as JsonValue };
  }
  switch (state.phase) {
    case 'model':
      return { type: 'perform', effects: [modelStep(state, rules)] };
    case 'compacting':
      return { type: 'perform', effects: [compactStep(state, rules)] };
    case 'tools': {
      const { concurrency } = rules;
      const effects = callEffects(state, rules);
      const directives = directivesOf(state.round);
      if (concurrency === undefined && directives.length === 0) return { type: 'perform', effects };
      const also = directives.map((directive) => causeOf(directive).termination);
      return {
        type: 'perform',
        effects,
        ...(concurrency !== undefined && { concurrency }),
        ...(also.length > 0 && { also }),
      };
    }
    default:
      return recordOf(state, makeCountedKey(state.phase, state.counts.judgements));
  }
}

function recordOf(state: AgentState, key: string): Decision<AgentPlan> {
  return { type: 'perform', effects: [{ type: 'record', key, plan: { type: 'judge', state } }] };
}

function modelStep(state: AgentState, rules: AgentRules): Step {
  const key = makeModelKey(state.counts.modelCalls + 1);
  const step: Step = { type: 'step', key, plan: { type: 'model', state }, isJson: true };
  const reserve = outputReserve(state, rules);
  return reserve === undefined ? step : { ...step, options: { reserve } };
}

function compactStep(state: AgentState, rules: AgentRules): Step {
  const step = {
    type: 'step',
    key: makeCountedKey('compact', state.counts.iterations + 1),
    plan: { type: 'compact', state },
  } as const;
  const left = timeLeft(state, rules);
  return left === undefined ? step : { ...step, options: { timeoutMs: left.ms } };
}

/** Active time goes on with every observation but an answer, for which nobody worked. */
function passTime(draft: Draft, { at, type }: Observation): void {
  const { activeMs, lastAt, iterationMs, iterationTokens } = draft.time;
  if (at <= lastAt) return;
  draft.time = {
    activeMs: type === 'answer' ? activeMs : activeMs + at - lastAt,
    lastAt: at,
    iterationMs,
    iterationTokens,
  };
}

function apply(draft: Draft, rules: AgentRules, observation: Observation): void {
  if (draft.ending === null && draft.phase === 'model') applyModelStep(draft, rules, observation);
  else if (draft.ending === null && draft.phase === 'compacting')
    applyCompaction(draft, rules, compactionOf(observation));
  else if (draft.ending === null && draft.phase === 'tools') applyTool(draft, rules, observation);
  else {
    draft.counts = counted(draft.counts, { judgements: 1 });
    if (draft.ending === null) applyJudgement[draft.phase]?.(draft, rules, judgementOf(observation));
    else draft.endTold = true;
  }
}

/** What follows from what the user's code says, by where the loop is. */
const applyJudgement: { readonly [K in Phase]?: (draft: Draft, rules: AgentRules, judgement: Judgement) => void } = {
  prompting: takePrompt,
  opening: beginIteration,
  judging_answer: finishAnswer,
  judging_call: judgeCall,
  judging_tools: finishRound,
  judging_iteration: closeIteration,
};

/** Takes in a model step. One that no budget had room for was not made, and is made when the run goes on with more. */
function applyModelStep(draft: Draft, rules: AgentRules, observation: Observation): void {
  const refusal = observation.type === 'error' ? observation.refusal : undefined;
  if (refusal === undefined) {
    applyModel(draft, rules, modelOutcome(observation));
    return;
  }
  weigh(draft, rules, 'before_call', { causes: [{ slot: 'budget', termination: refusal }] });
}

/** A step of ours says what failed as its value; only what no JSON can hold comes as an error. */
function modelOutcome(observation: Observation): ModelOutcome {
  if (observation.type === 'value') return observation.value as unknown as ModelOutcome;
  const error =
    observation.type === 'error' ? observation.error : { name: 'Error', message: 'The model step gave nothing.' };
  return { attempts: 1, failure: { type: 'unknown', provider: '', retryable: false, error } };
}

function compactionOf(observation: Observation): CompactionOutcome {
  if (observation.type === 'value') return observation.value as unknown as CompactionOutcome;
  // What took too long is the matter of the condition whose limit it is.
  if (observation.type === 'error' && observation.error.code === 'STEP_TIMEOUT') return {};
  const error = observation.type === 'error' ? observation.error : { name: 'Error', message: 'Nothing was compacted.' };
  return { failed: { stage: 'result', error } };
}

function judgementOf(observation: Observation): Judgement {
  if (observation.type === 'error') return { error: observation.error };
  return observation.type === 'value' ? ((observation.value ?? {}) as unknown as Judgement) : {};
}

/** Goes on in the next segment: counters stand, the detector that fired starts anew, new conditions hold from here on. */
function resume(draft: Draft, rules: AgentRules, opening: SegmentOpening): void {
  const { guidance } = rules.changeWith(draft.resumed + 1, opening.options);
  const ended = endingsOf(draft, opening.ending);
  if (draft.ending !== null) draft.wrapUp = null;
  draft.resumed += 1;
  draft.ending = null;
  draft.also = [];
  draft.endTold = false;
  draft.conditions = resetAfterResume(conditionsOf(rules, draft), draft.conditions, ended);
  if (guidance !== undefined) draft.untold = [...draft.untold.filter((text) => text !== goOn), guidance];
  takeUp[draft.phase]?.(draft, rules);
}

/** What comes next where the last segment stopped. What the user's code was to be asked is asked again. */
const takeUp: { readonly [K in Phase]?: (draft: Draft, rules: AgentRules) => void } = {
  opening: openIteration,
  model: (draft, rules) => beforeCall(draft, rules, unasked),
  tools: finishIfDone,
  judging_iteration: afterRound,
};
