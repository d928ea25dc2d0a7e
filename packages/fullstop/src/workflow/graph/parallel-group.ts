import type { GroupType } from './group-type.js';
import type { ParallelUnit } from './unit.js';
import { makeParallelUnit } from './workflow-key.js';

/** A parallel group: its members are other steps, side by side. */
export const parallelGroupType: GroupType<ParallelUnit> = {
  steps: ({ members }) => members,
  namedMembers: ({ group }) => group.agents,
  stepOf: ({ members }, index) => members[index],
  size: ({ members }) => members.length,
  mostIterations: ({ members }) => Math.max(1, members.length),
  describe: ({ members, group }) => ({
    members: members.map(({ name, type }) => ({ name, kind: type })),
    mode: group.failure_mode,
  }),
  memberName: ({ members }, _items, index) => members[index]?.name ?? String(index),
  memberKey: ({ members }, base, index) => {
    const name = members[index]?.name ?? '';
    const occurrence = members.slice(0, index + 1).filter((member) => member.name === name).length;
    return makeParallelUnit({ group: base, name, occurrence });
  },
  memberIndex: (unit, { base, key, effectKey }) =>
    unit.members.findIndex((step, index) => effectKey(step, parallelGroupType.memberKey(unit, base, index)) === key),
  itemOf: () => undefined,
  concurrency: () => undefined,
  isKeyed: () => true,
  showsCount: false,
  errorKey: 'agent_name',
  words: { member: 'Agent', members: 'agents', group: 'parallel group', title: 'Parallel' },
  label: ({ name, group }) => `${name}: ${group.agents.join(' ∥ ')}`,
};
