import type { Answer, ReceivedAnswer } from '../engines/port/request.js';
import type { ModelMessage } from '../models/message.js';
import type { Decision, Effect, Machine, Observation, SegmentOpening } from '../run/machine.js';
import type { StepOptions, UnitResult } from '../run/run-context.js';
import { resetAfterResume } from '../stop/resume-conditions.js';
import { isObject, type JsonObject, type JsonValue } from '../termination/json.js';
import { applyModel, finishAnswer } from './answer.js';
import { applyCompaction } from './compact.js';
import { addUsage, counted, draftOf } from './draft.js';
import { beforeCall, closeIteration, endIteration, endingsOf, openIteration, unasked } from './iteration.js';
import { itemsOf } from './log.js';
import type { AgentPlan } from './plan.js';
import { finishIfDone, finishRound, judgeCall, mistaken, putCall, settled } from './round.js';
import { type AgentRules, conditionsOf } from './rules.js';
import { startState } from './start-state.js';
import {
  type AgentState,
  type Call,
  type CheckedCall,
  type CompactionOutcome,
  type Draft,
  goOn,
  type Judgement,
  type ModelOutcome,
  type Phase,
  type ToolOutcome,
} from './state.js';

export interface MachineInput {
  readonly messages: readonly ModelMessage[];
  readonly at: number;
}

type Step = Extract<Effect<AgentPlan>, { type: 'step' }>;

/** The loop of an agent as a fold. One instance serves one execution: it knows which observations were handed out. */
export function agentMachine(rules: AgentRules): Machine<AgentState, AgentPlan, MachineInput> {
  let told = 0;
  return {
    init: ({ messages, at }) => {
      const draft: Draft = startState(messages, at);
      openIteration(draft, rules);
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
    observe: ({ observations }) => {
      if (observations.length === told) return undefined;
      const fresh = itemsOf(observations).slice(told);
      told = observations.length;
      return fresh as unknown as readonly JsonObject[];
    },
  };
}

function decide(state: AgentState, rules: AgentRules): Decision<AgentPlan> {
  if (state.ending !== null) {
    if (rules.hooks.onEnd && !state.endTold) return recordOf(state, `on_end:${state.counts.judgements}`);
    const output = state.hasOutput ? state.output : state.text;
    const also = state.also.length > 0 && { also: state.also };
    return { type: 'end', termination: state.ending, ...also, output: output as JsonValue };
  }
  switch (state.phase) {
    case 'model':
      return { type: 'perform', effects: [stepOf(state, 'model', state.counts.modelCalls + 1)] };
    case 'compacting':
      return { type: 'perform', effects: [stepOf(state, 'compact', state.counts.iterations + 1)] };
    case 'tools': {
      const { concurrency } = rules;
      return { type: 'perform', effects: callEffects(state, rules), ...(concurrency !== undefined && { concurrency }) };
    }
    default:
      return recordOf(state, `${state.phase}:${state.counts.judgements}`);
  }
}

function recordOf(state: AgentState, key: string): Decision<AgentPlan> {
  return { type: 'perform', effects: [{ type: 'record', key, plan: { type: 'judge', state } }] };
}

function stepOf(state: AgentState, type: 'model' | 'compact', count: number): Step {
  return { type: 'step', key: `${type}:${count}`, plan: { type, state } };
}

function callEffects(state: AgentState, rules: AgentRules): readonly Effect<AgentPlan>[] {
  const effects: Effect<AgentPlan>[] = [];
  for (const [index, call] of state.round.entries()) {
    if (call.stage === 'done') continue;
    effects.push(callEffect(state, rules, index));
    if (rules.goal === 'tool_call') break;
  }
  return effects;
}

function callEffect(state: AgentState, rules: AgentRules, index: number): Effect<AgentPlan> {
  const call = state.round[index] as Call;
  const rule = rules.tools.get(call.tool);
  const place = `${state.counts.iterations + 1}.${index + 1}:${call.tool}`;
  if (call.stage === 'asking') {
    const { id, tool, input } = call;
    return {
      type: 'request',
      key: `ask:${place}`,
      request: { id, type: 'approval', tool, input, summary: `May ${tool} be called?` },
    };
  }
  if (rule?.gated === true && call.stage === 'ready') {
    return { type: 'record', key: `check:${place}`, plan: { type: 'check', call, state } };
  }
  if (rule?.unit === true) return { type: 'unit', key: `${call.tool}:${call.id}`, plan: { type: 'unit', call, state } };
  const options = stepOptions(state, rules, call);
  const plan: AgentPlan = { type: 'tool', call, state };
  return options === undefined
    ? { type: 'step', key: `tool:${place}`, plan }
    : { type: 'step', key: `tool:${place}`, plan, options };
}

function stepOptions(state: AgentState, rules: AgentRules, call: Call): StepOptions | undefined {
  const once = call.stage === 'approved' && rules.tools.get(call.tool)?.once === true;
  let timeoutMs: number | undefined;
  for (const { limits } of conditionsOf(rules, state)) {
    if (limits?.toolMs !== undefined) timeoutMs = Math.min(timeoutMs ?? limits.toolMs, limits.toolMs);
  }
  if (!once && timeoutMs === undefined) return undefined;
  return { ...(once && { once }), ...(timeoutMs !== undefined && { timeoutMs }) };
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
  if (draft.ending === null && draft.phase === 'model') applyModel(draft, rules, modelOutcome(observation));
  else if (draft.ending === null && draft.phase === 'compacting')
    applyCompaction(draft, rules, compactionOf(observation));
  else if (draft.ending === null && draft.phase === 'tools') applyTool(draft, rules, observation);
  else {
    draft.counts = counted(draft.counts, 'judgements');
    if (draft.ending === null) applyJudgement[draft.phase]?.(draft, rules, judgementOf(observation));
    else draft.endTold = true;
  }
}

/** What follows from what the user's code says, by where the loop is. */
const applyJudgement: { readonly [K in Phase]?: (draft: Draft, rules: AgentRules, judgement: Judgement) => void } = {
  opening: beforeCall,
  judging_answer: finishAnswer,
  judging_call: judgeCall,
  judging_tools: finishRound,
  judging_iteration: closeIteration,
};

/** A step of ours says what failed as its value; only what no JSON can hold comes as an error. */
function modelOutcome(observation: Observation): ModelOutcome {
  if (observation.type === 'value') return observation.value as unknown as ModelOutcome;
  const error =
    observation.type === 'error' ? observation.error : { name: 'Error', message: 'The model step gave nothing.' };
  return { attempts: 1, failure: { type: 'unknown', provider: '', retryable: false, error } };
}

function compactionOf(observation: Observation): CompactionOutcome {
  if (observation.type === 'value') return observation.value as unknown as CompactionOutcome;
  const error = observation.type === 'error' ? observation.error : { name: 'Error', message: 'Nothing was compacted.' };
  return { failed: { stage: 'result', error } };
}

function judgementOf(observation: Observation): Judgement {
  if (observation.type === 'error') return { error: observation.error };
  return observation.type === 'value' ? ((observation.value ?? {}) as unknown as Judgement) : {};
}

function applyTool(draft: Draft, rules: AgentRules, observation: Observation): void {
  const index = indexOf(draft, observation.key);
  const call = draft.round[index];
  if (call !== undefined) putCall(draft, rules, index, callAfter(draft, call, observation));
}

function callAfter(draft: Draft, call: Call, observation: Observation): Call {
  switch (observation.type) {
    case 'value': {
      const value = observation.value as unknown as ToolOutcome | CheckedCall;
      if (isChecked(value)) return { ...call, input: value.input, stage: value.next };
      return settled(call, isOutcome(value) ? value : confirmed(observation.value));
    }
    case 'error': {
      const { error } = observation;
      const output = { type: 'error-text', value: error.message } as const;
      // The model is not to blame for a tool that takes too long.
      return settled(
        call,
        error.code === 'STEP_TIMEOUT' ? { output, error } : { output, error, mistake: 'tool_error' },
      );
    }
    case 'answer':
      return answered(call, observation.answer);
    case 'unit':
      return afterUnit(draft, call, observation.result);
    default:
      return call;
  }
}

/** The call that an effect belongs to. */
function indexOf({ round, counts }: Draft, key: string): number {
  if (round.length === 1) return 0;
  return round.findIndex(
    ({ tool, id }, index) => key.endsWith(`:${counts.iterations + 1}.${index + 1}:${tool}`) || key === `${tool}:${id}`,
  );
}

function isChecked(value: unknown): value is CheckedCall {
  return isObject(value) && 'next' in value;
}

function isOutcome(value: unknown): value is ToolOutcome {
  return isObject(value) && isObject(value['output']) && typeof value['output']['type'] === 'string';
}

/** What a person says that became of a call whose outcome was lost is its plain result. */
function confirmed(value: JsonValue | undefined): ToolOutcome {
  if (typeof value === 'string') return { output: { type: 'text', value } };
  return { output: { type: 'json', value: value ?? null } };
}

function answered(call: Call, { decision, value, reason }: ReceivedAnswer | Answer): Call {
  if (decision !== 'deny') return { ...call, stage: 'approved', ...(value !== undefined && { input: value }) };
  const denied = mistaken('denied', `The call was denied${reason === undefined ? '.' : `: ${reason}`}`);
  return settled(call, { ...denied, output: { type: 'execution-denied', ...(reason !== undefined && { reason }) } });
}

interface UnitOutput {
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly costUsd: number | null;
}

/** The ending of an agent inside this one stands whole in the result of the call. */
function afterUnit(draft: Draft, call: Call, result: UnitResult): Call {
  const { usage, costUsd = 0 } = (result.output ?? {}) as unknown as Partial<UnitOutput>;
  if (usage !== undefined) addUsage(draft, { ...usage, costUsd });
  const value = { termination: result.termination, output: result.output ?? null } as unknown as JsonValue;
  return settled(call, { output: { type: 'json', value }, child: { ...result, name: call.tool, toolCallId: call.id } });
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
  draft.time = { ...draft.time, lastAt: opening.at };
  takeUp[draft.phase]?.(draft, rules);
}

/** What comes next where the last segment stopped. What the user's code was to be asked is asked again. */
const takeUp: { readonly [K in Phase]?: (draft: Draft, rules: AgentRules) => void } = {
  opening: openIteration,
  model: (draft, rules) => beforeCall(draft, rules, unasked),
  tools: finishIfDone,
  judging_iteration: endIteration,
};
