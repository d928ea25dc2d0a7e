import type { JsonObject } from '../../termination/json.js';
import { stepNamed } from './described-workflow.js';
import type { WorkflowScope } from './workflow-scope.js';

/** Which file a sub-workflow step runs and where it stands; an item of a group has a slot of its own. */
export function subWorkflowData({ source, slots }: WorkflowScope, step: string, slot: string = step): JsonObject {
  const file = source === undefined ? undefined : stepNamed(source, step)['workflow'];
  return { ...(file !== undefined && { workflow: file }), parent_path: slots, slot_key: slot };
}
