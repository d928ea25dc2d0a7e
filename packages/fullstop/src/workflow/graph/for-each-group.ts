import type { GroupType } from './group-type.js';
import type { ForEachUnit } from './unit.js';
import { makeItemUnit, parseItemUnit } from './workflow-key.js';

/** A for_each group: one step for each item of a list. */
export const forEachGroupType: GroupType<ForEachUnit> = {
  steps: ({ group }) => [group.agent],
  namedMembers: () => [],
  stepOf: ({ group }) => group.agent,
  size: () => undefined,
  mostIterations: () => Number.POSITIVE_INFINITY,
  describe: ({ group: { agent } }) => ({ member: { name: agent.name, kind: agent.type } }),
  memberName: (_unit, items, index) => items[index]?.key ?? String(index),
  memberKey: (_unit, base, index) => makeItemUnit({ group: base, index }),
  memberIndex: (_unit, { key }) => parseItemUnit(key)?.index ?? -1,
  itemOf: ({ group }, items, index) => {
    const item = items[index];
    return item === undefined ? undefined : { ...item, name: group.as, keyed: group.key_by !== undefined };
  },
  concurrency: ({ group }) => group.max_concurrent,
  isKeyed: ({ group }) => group.key_by !== undefined,
  showsCount: true,
  errorKey: 'item_key',
  words: { member: 'Item', members: 'items', group: 'for-each group', title: 'For-each' },
  label: ({ name, group }) => `${name}: ${group.agent.name} for each ${group.as}`,
};
