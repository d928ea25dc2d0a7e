import type { MemberItem } from '../graph/group-type.js';
import type { Step } from '../schema/document.js';
import type { WorkflowState } from './state.js';

/** The work that the machine asks for; the state says everything else about it. */
export type WorkflowPlan =
  | { readonly type: 'start' | 'trim' | 'items' | 'route' | 'recover' | 'hook' | 'tell'; readonly state: WorkflowState }
  | StepPlan;

/** A step to perform, alone or as a member of a group. */
export interface StepPlan {
  readonly type: 'step';
  readonly state: WorkflowState;
  readonly step: Step;
  readonly member?: MemberPlace;
}

/** Which member of which group it is. */
export interface MemberPlace {
  readonly group: string;
  readonly index: number;
  /** The item, and the name that templates have for it. */
  readonly item?: MemberItem;
}
