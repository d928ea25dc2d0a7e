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
export function memberOf({ current, keys }: WorkflowScope, key: string): Member | undefined {
  if (current === undefined || (current.kind !== 'parallel' && current.kind !== 'for_each')) return undefined;
  if (!key.startsWith(current.name)) return undefined;
  const rest = key.slice(current.name.length).replace(/^#\d+/, '');
  if (current.kind === 'parallel') {
    // `p.a~2` is the second time that the group names `a`.
    const name = current.members.has(rest.slice(1)) ? rest.slice(1) : rest.slice(1).replace(/~\d+$/, '');
    const kind = current.members.get(name);
    return kind === undefined
      ? undefined
      : { step: name, kind, member: name, index: [...current.members.keys()].indexOf(name) };
  }
  const [, digits] = /^\[(\d+)\]$/.exec(rest) ?? [];
  if (digits === undefined || current.item === undefined) return undefined;
  const index = Number(digits);
  return { step: current.item.name, kind: current.item.kind, member: keys[index] ?? digits, index };
}
