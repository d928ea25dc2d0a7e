import type { Performer } from '../../run/machine/machine.js';
import type { End, RunContext, StepAttempt, UnitResult } from '../../run/run-context.js';
import { readJsonText } from '../../template/json-text.js';
import { assertNever } from '../../termination/assert-never.js';
import type { Ending } from '../../termination/ending.js';
import { StoredOutput, withLatest } from '../machine/outputs.js';
import type { StepPlan, WorkflowPlan } from '../machine/plan.js';
import type { WorkflowNode } from '../machine/program.js';
import type { SetOutcome, WorkflowState } from '../machine/state.js';
import { attempt, StepProblem } from '../machine/step-problem.js';
import { agentStep } from './agent/agent-step.js';
import { endHook } from './hook.js';
import { gateStep } from './human/gate.js';
import { questionsStep } from './human/questions.js';
import { runScript } from './program/script.js';
import { chooseErrorRoute, chooseRoute } from './routes.js';
import type { Runtime } from './runtime.js';
import { startWorkflow } from './start.js';
import type { StepContext } from './step-context.js';
import { terminateWorkflow } from './terminate.js';
import { moduleStep } from './units/module-step.js';
import { subWorkflow } from './units/sub-workflow.js';
import { tellOfStoppedChild } from './units/tell-of-stop.js';
import { listItems } from './values/items.js';
import { setValue } from './values/set-value.js';
import { trimContext } from './values/trim.js';
import { waitStep } from './wait.js';

/** The impure side of a workflow: templates, programs, models and people. */
export function workflowPerformer(runtime: Runtime): Performer<WorkflowPlan> {
  return {
    record: (plan) => (plan.type === 'step' ? recordStep(runtime, plan) : recordPlan(runtime, plan)),
    step: (plan, given) => performStep(runtime, plan, given),
    unit: (plan, context) => performUnit(runtime, plan, context) as Promise<UnitResult>,
  };
}

function recordPlan(runtime: Runtime, { type, state }: Exclude<WorkflowPlan, StepPlan>): unknown {
  switch (type) {
    case 'start':
      return startWorkflow(runtime, state);
    case 'trim':
      return trimContext(runtime, state);
    case 'items':
      return listItems(runtime, state, groupOf(runtime, state));
    case 'route':
      return chooseRoute(runtime, state, nodeOf(runtime, state), readJsonText(state.current ?? 'null'));
    case 'recover':
      return chooseErrorRoute(runtime, state, nodeOf(runtime, state));
    case 'hook':
      return endHook(runtime, state);
    case 'tell':
      return tellOfStoppedChild(runtime, state);
    default:
      return assertNever('Unknown plan', type);
  }
}

function nodeOf({ program }: Runtime, { at }: WorkflowState): WorkflowNode {
  const node = program.nodes.get(at);
  if (node === undefined) throw new Error(`The workflow has no step ${at}.`);
  return node;
}

function groupOf(runtime: Runtime, state: WorkflowState): Extract<WorkflowNode, { kind: 'for_each' }>['group'] {
  const node = nodeOf(runtime, state);
  if (node.kind !== 'for_each') throw new Error(`${state.at} is no for_each group.`);
  return node.group;
}

/** Set steps and explicit ends are made of templates alone, so one record has all of them. */
function recordStep(runtime: Runtime, { step, state, member }: StepPlan): unknown {
  if (step.type === 'terminate') {
    if (member === undefined) return terminateWorkflow(runtime, state, step);
    const message = `The terminate step '${step.name}' cannot be a member of a group; route to it from the group`;
    throw new StepProblem('ExecutionError', message);
  }
  if (step.type !== 'set') throw unexpected(step.type);
  const output = attempt(() => setValue(step, { runtime, state, member }));
  if ('problem' in output) return { problem: output.problem };
  return routed(runtime, state, output.value);
}

function routed(runtime: Runtime, state: WorkflowState, output: string): SetOutcome {
  const latest = new StoredOutput(state.at, output);
  const after = { ...state, outputs: withLatest(state.outputs, latest) };
  return { output, verdict: chooseRoute(runtime, after, nodeOf(runtime, state), latest.value) };
}

function performStep(runtime: Runtime, plan: WorkflowPlan, given: StepAttempt): unknown {
  if (plan.type !== 'step') throw unexpected(plan.type);
  const { step, state, member } = plan;
  if (step.type === 'set') return { output: setValue(step, { runtime, state, member }) };
  if (step.type === 'script') return runScript(step, { runtime, state, member, attempt: given });
  throw unexpected(step.type);
}

async function performUnit(runtime: Runtime, plan: WorkflowPlan, context: RunContext): Promise<End<Ending>> {
  if (plan.type !== 'step') throw unexpected(plan.type);
  const { step, state, member } = plan;
  const given: StepContext = { runtime, state, member, context, performerOf: workflowPerformer };
  switch (step.type) {
    case 'agent':
      return agentStep(step, given);
    case 'wait':
      return waitStep(step, given);
    case 'human_gate':
      return gateStep(step, given);
    case 'questions':
      return questionsStep(step, given);
    case 'workflow':
      return subWorkflow(step, given);
    case 'pipeline':
    case 'convergence':
      return moduleStep(step, given);
    case 'set':
    case 'script':
    case 'terminate':
      throw unexpected(step.type);
    default:
      return assertNever('Unknown type of step', step);
  }
}

function unexpected(type: string): Error {
  return new Error(`The workflow asks for ${type} in the wrong place.`);
}
