import type { MachineDecision, MachineEffect } from '../../run/machine/machine.js';
import { assertNever } from '../../termination/assert-never.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { groupTypeOf } from '../graph/group-types.js';
import type { GroupUnit } from '../graph/unit.js';
import { makeRecordKey, makeStepKey, makeVisitedUnit, startKey } from '../graph/workflow-key.js';
import type { Step } from '../schema/document.js';
import type { MemberPlace, StepPlan, WorkflowPlan } from './plan.js';
import type { Program } from './program.js';
import type { GroupProgress, WorkflowState } from './state.js';
import { countOf } from './tally.js';

type Perform = Extract<MachineDecision<WorkflowPlan>, { type: 'perform' }>;
type Waiting = Extract<MachineDecision<WorkflowPlan>, { type: 'wait' }>;

/** The effects that the state asks for next, when it has not ended. */
export function performing(state: WorkflowState, program: Program): Perform | Waiting {
  switch (state.phase) {
    case 'starting':
      return recording('start', state);
    case 'trimming':
      return recording('trim', state);
    case 'listing':
      return recording('items', state);
    case 'routing':
      return recording('route', state);
    case 'recovering':
      return recording('recover', state);
    case 'stepping':
      return stepping(state, program);
    default:
      return assertNever('Unknown phase', state.phase);
  }
}

/** A record whose key says what it is about. */
export function recording(type: Exclude<WorkflowPlan['type'], 'step'>, state: WorkflowState): Perform {
  const key = type === 'start' ? startKey : makeRecordKey({ type, about: `${subjectOf(type, state)}` });
  return { type: 'perform', effects: [{ type: 'record', key, plan: { type, state } }] };
}

function subjectOf(type: WorkflowPlan['type'], { at, hook, stopped }: WorkflowState): string | null {
  if (type === 'tell') return stopped[0]?.path ?? null;
  return type === 'hook' ? hook : at;
}

function stepping(state: WorkflowState, program: Program): Perform | Waiting {
  const node = program.nodes.get(state.at);
  if (node === undefined) throw new FullstopError('INTERNAL_DEFECT', `The workflow has no step ${state.at}.`);
  if (node.type !== 'step') return batch(state, node, program);
  return { type: 'perform', effects: [effectOf(node.step, program, { state, key: unitKey(state) })] };
}

function batch(state: WorkflowState, node: GroupUnit, program: Program): Perform | Waiting {
  const group = state.group as GroupProgress;
  // Some members have answered while others wait for a person: those are still running.
  if (group.results.length > group.before) return { type: 'wait' };
  const base = unitKey(state);
  const type = groupTypeOf(node);
  const concurrency = type.concurrency(node);
  const effects = group.todo.map((index) => {
    const step = type.stepOf(node, index) as Step;
    const item = type.itemOf(node, group.items, index);
    const member = { group: node.name, index, ...(item !== undefined && { item }) };
    return effectOf(step, program, { state, key: type.memberKey(node, base, index), member });
  });
  return {
    type: 'perform',
    effects,
    ...(concurrency !== undefined && { concurrency }),
    ...(node.group.failure_mode === 'fail_fast' && { failFast: true }),
  };
}

/** The name of the unit of the step at hand: `m`, and `m#2` when it is entered again. */
export function unitKey({ at, entered }: WorkflowState): string {
  return makeVisitedUnit({ name: at, visit: Math.max(1, countOf(entered, at)) });
}

interface Performance {
  readonly state: WorkflowState;
  readonly key: string;
  readonly member?: MemberPlace;
}

/** The effect of a step, the same alone and in a group. */
function effectOf(step: Step, program: Program, { state, key, member }: Performance): MachineEffect<WorkflowPlan> {
  const plan: StepPlan = member === undefined ? { type: 'step', state, step } : { type: 'step', state, step, member };
  const { effect } = program.steps.of(step).machine;
  if (effect === 'unit') {
    const timeMs = program.timeLimitOf(step);
    return { type: 'unit', key, plan, ...(timeMs !== undefined && { limits: { timeMs } }) };
  }
  const type = effect === 'record' && member === undefined ? 'record' : 'step';
  return { type, key: makeStepKey({ type: step.type, unit: key }), plan };
}

/** The key of a step's effect: that of its unit, with its type before it when the step has no unit. */
export function effectKey({ steps }: Program, step: Step, key: string): string {
  return steps.of(step).machine.effect === 'unit' ? key : makeStepKey({ type: step.type, unit: key });
}
