import { parseMemberUnit } from '../graph/workflow-key.js';
import { groupEvents } from './group-events.js';
import type { Member, WorkflowScope } from './workflow-scope.js';

/** The member of the group at hand that a key belongs to. */
export function memberOf(workflow: WorkflowScope, key: string): Member | undefined {
  const { current, keys } = workflow;
  const place = current === undefined ? undefined : parseMemberUnit(key, current.name);
  if (current === undefined || place === undefined) return undefined;
  return groupEvents(workflow)?.findMember(current, keys, place);
}
