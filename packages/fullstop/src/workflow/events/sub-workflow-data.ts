import type { JsonObject } from '../../termination/json.js';
import { findStep } from './described-workflow.js';
import type { UnitScope, WorkflowScope } from './workflow-scope.js';

/** Which file a sub-workflow step runs and its place; an item of a group has a slot of its own. */
export function subWorkflowData({ source, slots }: WorkflowScope, step: string, slot: string = step): JsonObject {
  const file = source === undefined ? undefined : findStep(source, step)['workflow'];
  return { ...(file !== undefined && { workflow: file }), parent_path: slots, slot_key: slot };
}

/** The place of a sub-workflow in its parent. */
export function slotOf({ workflow, step, member }: Pick<UnitScope, 'workflow' | 'step' | 'member'>): string {
  return member === undefined ? step : `${workflow.at}[${member}]`;
}
