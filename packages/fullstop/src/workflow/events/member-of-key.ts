import { withoutAttempt } from '../../run/journal/scope-path.js';
import { parseMemberUnit } from '../machine/workflow-key.js';
import type { Member, WorkflowScope } from './workflow-scope.js';

/** The member of the group at hand that a key belongs to. */
export function memberOf({ current, keys }: WorkflowScope, key: string): Member | undefined {
  if (current === undefined || (current.kind !== 'parallel' && current.kind !== 'for_each')) return undefined;
  const place = parseMemberUnit(key, current.name);
  if (place === undefined) return undefined;
  if ('member' in place) {
    const name = current.members.has(place.member) ? place.member : withoutAttempt(place.member);
    const kind = current.members.get(name);
    return kind === undefined
      ? undefined
      : { step: name, kind, member: name, index: [...current.members.keys()].indexOf(name) };
  }
  const { index } = place;
  if (current.item === undefined) return undefined;
  return { step: current.item.name, kind: current.item.kind, member: keys[index] ?? String(index), index };
}
