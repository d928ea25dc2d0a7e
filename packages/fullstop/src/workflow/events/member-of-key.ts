import { groupEvents } from './group-events.js';
import type { Member, WorkflowScope } from './workflow-scope.js';

/** `m#2` is the second visit to `m`. */
export function withoutVisit(key: string): string {
  return key.replace(/#\d+$/, '');
}

/** Which visit a key belongs to. */
export function visitOf(key: string): number {
  const [, digits] = /#(\d+)/.exec(key) ?? [];
  return digits === undefined ? 1 : Number(digits);
}

/** The member of the group at hand that a key belongs to. */
export function memberOf(workflow: WorkflowScope, key: string): Member | undefined {
  const { current, keys } = workflow;
  if (current === undefined || !key.startsWith(current.name)) return undefined;
  const rest = key.slice(current.name.length).replace(/^#\d+/, '');
  return groupEvents(workflow)?.findMember(current, keys, rest);
}
