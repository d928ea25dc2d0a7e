import type { Performer } from '../../run/machine/machine.js';
import type { RunContext } from '../../run/run-context.js';
import type { MemberPlace, WorkflowPlan } from '../machine/plan.js';
import type { WorkflowState } from '../machine/state.js';
import type { Runtime } from './runtime.js';

/** The world of a step that is a unit of its own. */
export interface StepContext {
  readonly runtime: Runtime;
  readonly state: WorkflowState;
  readonly member?: MemberPlace | undefined;
  readonly context: RunContext;
  /** How the steps of another workflow are performed. */
  performerOf(runtime: Runtime): Performer<WorkflowPlan>;
}
