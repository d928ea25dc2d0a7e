import type { MachinePerformer } from '../../run/machine/machine.js';
import type { RunContext, StepAttempt, UnitResult } from '../../run/run-context.js';
import { readJsonText } from '../../template/json-text.js';
import { assertNever } from '../../termination/assert-never.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { StepPlan, WorkflowPlan } from '../machine/plan.js';
import type { WorkflowState } from '../machine/state.js';
import type { ForEachGroup } from '../schema/document.js';
import { endHook } from './hook.js';
import { unitAtHand } from './route-output.js';
import { chooseErrorRoute, chooseRoute } from './routes.js';
import type { Runtime } from './runtime.js';
import { startWorkflow } from './start.js';
import { tellOfStoppedChild } from './units/tell-of-stop.js';
import { listItems } from './values/items.js';
import { trimContext } from './values/trim.js';

/** The impure side of a workflow: templates, programs, models and people. */
export function workflowPerformer(runtime: Runtime): MachinePerformer<WorkflowPlan> {
  return {
    record: (plan) => (plan.type === 'step' ? recordStep(runtime, plan) : recordPlan(runtime, plan)),
    step: (plan, given) => performStep(runtime, plan, given),
    unit: (plan, context) => performUnit(runtime, plan, context),
  };
}

function recordPlan(runtime: Runtime, { type, state }: Exclude<WorkflowPlan, StepPlan>): unknown {
  switch (type) {
    case 'start':
      return startWorkflow(runtime, state);
    case 'trim':
      return trimContext(runtime, state);
    case 'items':
      return listItems(runtime, state, groupAtHand(runtime, state));
    case 'route':
      return chooseRoute(runtime, state, unitAtHand(runtime, state), readJsonText(state.current ?? 'null'));
    case 'recover':
      return chooseErrorRoute(runtime, state, unitAtHand(runtime, state));
    case 'hook':
      return endHook(runtime, state);
    case 'tell':
      return tellOfStoppedChild(runtime, state);
    default:
      return assertNever('Unknown plan', type);
  }
}

function groupAtHand(runtime: Runtime, state: WorkflowState): ForEachGroup {
  const unit = unitAtHand(runtime, state);
  if (unit.type !== 'for_each') throw new Error(`${state.at} is no for_each group.`);
  return unit.group;
}

function recordStep(runtime: Runtime, { step, state }: StepPlan): unknown {
  const { performer } = runtime.loaded.steps.of(step);
  if (performer.effect !== 'record') throw unexpected(step.type);
  return performer.record(step, { runtime, state });
}

function performStep(runtime: Runtime, plan: WorkflowPlan, attempt: StepAttempt): unknown {
  if (plan.type !== 'step') throw unexpected(plan.type);
  const { step, state, member } = plan;
  const { performer } = runtime.loaded.steps.of(step);
  if (performer.effect === 'record') return performer.performMember(step, { runtime, state, member });
  if (performer.effect === 'step') return performer.perform(step, { runtime, state, member, attempt });
  throw unexpected(step.type);
}

async function performUnit(runtime: Runtime, plan: WorkflowPlan, context: RunContext): Promise<UnitResult> {
  if (plan.type !== 'step') throw unexpected(plan.type);
  const { step, state, member } = plan;
  const { performer } = runtime.loaded.steps.of(step);
  if (performer.effect !== 'unit') throw unexpected(step.type);
  const given = { runtime, state, member, context, performerOf: workflowPerformer };
  return performer.perform(step, given) as Promise<UnitResult>;
}

function unexpected(type: string): Error {
  return new FullstopError('INTERNAL_DEFECT', `The workflow asks for ${type} in the wrong place.`);
}
