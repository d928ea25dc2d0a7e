import type { Decision, Effect } from '../../run/machine/machine.js';
import { assertNever } from '../../termination/assert-never.js';
import type { Step } from '../schema/document.js';
import type { GroupNode } from './groups.js';
import type { MemberPlace, StepPlan, WorkflowPlan } from './plan.js';
import type { Program } from './program.js';
import type { GroupProgress, WorkflowState } from './state.js';
import { countOf } from './tally.js';

type Perform = Extract<Decision<WorkflowPlan>, { type: 'perform' }>;
type Waiting = Extract<Decision<WorkflowPlan>, { type: 'wait' }>;

/** What the state asks for next, when it has not ended. */
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
  const about = type === 'start' ? '' : `:${subjectOf(type, state)}`;
  return { type: 'perform', effects: [{ type: 'record', key: `${type}${about}`, plan: { type, state } }] };
}

function subjectOf(type: WorkflowPlan['type'], { at, hook, stopped }: WorkflowState): string | null {
  if (type === 'tell') return stopped[0]?.path ?? null;
  return type === 'hook' ? hook : at;
}

function stepping(state: WorkflowState, program: Program): Perform | Waiting {
  const node = program.nodes.get(state.at);
  if (node === undefined) throw new Error(`The workflow has no step ${state.at}.`);
  if (node.kind !== 'step') return batch(state, node, program);
  return { type: 'perform', effects: [effectOf(node.step, program, { state, key: unitKey(state) })] };
}

function batch(state: WorkflowState, node: GroupNode, program: Program): Perform | Waiting {
  const group = state.group as GroupProgress;
  // Some members have answered while others wait for a person: those are under way still.
  if (group.results.length > group.before) return { type: 'wait' };
  const base = unitKey(state);
  const effects = group.todo.map((index) => {
    const step = node.kind === 'parallel' ? (node.members[index] as Step) : node.group.agent;
    const member = placeOf(node, group, index);
    return effectOf(step, program, { state, key: memberKey(node, base, index), member });
  });
  return {
    type: 'perform',
    effects,
    ...(node.kind === 'for_each' && { concurrency: node.group.max_concurrent }),
    ...(node.group.failure_mode === 'fail_fast' && { failFast: true }),
  };
}

/** The name of the unit of the step at hand: `m`, and `m#2` when it is entered again. */
export function unitKey({ at, entered }: WorkflowState): string {
  const times = countOf(entered, at);
  return times > 1 ? `${at}#${times}` : at;
}

/** The name of the unit of a member: `p.a`, and `p.a~2` for a step that the group names twice. */
export function memberKey(node: GroupNode, base: string, index: number): string {
  if (node.kind === 'for_each') return `${base}[${index}]`;
  const name = node.members[index]?.name;
  const times = node.members.slice(0, index + 1).filter((member) => member.name === name).length;
  return times > 1 ? `${base}.${name}~${times}` : `${base}.${name}`;
}

function placeOf(node: GroupNode, group: GroupProgress, index: number): MemberPlace {
  const item = group.items[index];
  if (node.kind === 'parallel' || item === undefined) return { group: node.name, index };
  return { group: node.name, index, item: { ...item, name: node.group.as, keyed: node.group.key_by !== undefined } };
}

interface Performance {
  readonly state: WorkflowState;
  readonly key: string;
  readonly member?: MemberPlace;
}

/** The effect of a step, the same alone and in a group. */
function effectOf(step: Step, program: Program, { state, key, member }: Performance): Effect<WorkflowPlan> {
  const plan: StepPlan = member === undefined ? { type: 'step', state, step } : { type: 'step', state, step, member };
  switch (step.type) {
    case 'set':
      // In a group that stops at the first failure only a step can be that failure.
      return { type: member === undefined ? 'record' : 'step', key: `set:${key}`, plan };
    case 'terminate':
      return { type: 'record', key: `terminate:${key}`, plan };
    case 'script':
      return { type: 'step', key: `script:${key}`, plan };
    case 'agent':
    case 'workflow': {
      const timeMs = program.timeLimitOf(step);
      return { type: 'unit', key, plan, ...(timeMs !== undefined && { limits: { timeMs } }) };
    }
    case 'wait':
    case 'human_gate':
    case 'questions':
    case 'pipeline':
    case 'convergence':
      return { type: 'unit', key, plan };
    default:
      return assertNever('Unknown type of step', step);
  }
}
