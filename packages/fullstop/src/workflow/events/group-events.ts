import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { withoutAttempt } from '../../run/journal/scope-path.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { GroupUnit } from '../graph/unit.js';
import type { MemberPlace } from '../graph/workflow-key.js';
import type { EventWriter } from './event-writer.js';
import type { KnownStep, Member, UnitScope, WorkflowScope } from './workflow-scope.js';

/** The events of one type of group. */
interface GroupEvents {
  /** When the group begins. */
  started(writer: EventWriter, entry: JournalEntry, workflow: WorkflowScope, data: JsonObject): void;
  /** The member at a place in the group. */
  findMember(group: KnownStep, keys: readonly string[], place: MemberPlace): Member | undefined;
  /** When a member begins; the reference writes more about one that is an agent. */
  memberStarted(writer: EventWriter, entry: JournalEntry, member: MemberStart): void;
  /** The name under which an agent in it is announced. */
  agentName(unit: UnitScope): string;
  /** The first words of the events at the end of a member. */
  readonly member: string;
  /** The data that says which member it is. */
  memberData(member: Member): JsonObject;
  /** The data of a member that is done. */
  doneData(used: JsonObject, output: JsonValue): JsonObject;
  /** The event at the end of the group. */
  readonly completed: string;
  /** True when the group ends without an event after a member that failed fast. */
  readonly endsSilently: boolean;
}

export interface MemberStart extends Member {
  readonly workflow: WorkflowScope;
  readonly isAgent: boolean;
}

const parallel: GroupEvents = {
  started(writer, entry, workflow, data) {
    const { name = '', members = new Map() } = workflow.current ?? {};
    workflow.groupIsOpen = data['mode'] === 'fail_fast';
    writer.write(workflow, entry, 'parallel_started', { group_name: name, agents: [...members.keys()] });
  },
  findMember({ members }, _keys, place) {
    if (!('member' in place)) return undefined;
    const name = members.has(place.member) ? place.member : withoutAttempt(place.member);
    const kind = members.get(name);
    return kind === undefined
      ? undefined
      : { step: name, kind, member: name, index: [...members.keys()].indexOf(name) };
  },
  memberStarted(writer, entry, { workflow, step, isAgent }) {
    const started = { group_name: workflow.at, agent_name: step };
    if (isAgent) writer.write(workflow, entry, 'parallel_agent_started', started);
  },
  agentName: ({ step }) => step,
  member: 'parallel_agent',
  memberData: ({ step }) => ({ agent_name: step }),
  doneData: (used) => used,
  completed: 'parallel_completed',
  endsSilently: false,
};

const forEach: GroupEvents = {
  // It is announced once its items are known.
  started: () => undefined,
  findMember({ item }, keys, place) {
    if ('member' in place || item === undefined) return undefined;
    const { index } = place;
    return { step: item.name, kind: item.kind, member: keys[index] ?? String(index), index };
  },
  memberStarted(writer, entry, { workflow, step, member, index, isAgent }) {
    writer.write(workflow, entry, 'for_each_item_started', { group_name: workflow.at, item_key: member, index });
    if (!isAgent) return;
    const started = { group_name: workflow.at, agent_name: `${step}[${member}]`, item_key: member };
    writer.write(workflow, entry, 'for_each_agent_started', started);
  },
  agentName: ({ step, member }) => `${step}[${member}]`,
  member: 'for_each_item',
  memberData: ({ member }) => ({ item_key: member }),
  doneData: ({ tokens = 0, cost_usd = 0 }, output) => ({ tokens, cost_usd, output }),
  completed: 'for_each_completed',
  endsSilently: true,
};

const groups: Readonly<Record<GroupUnit['type'], GroupEvents>> = { parallel, for_each: forEach };

/** The events of the group at hand; undefined when a step is at hand. */
export function groupEvents({ current }: WorkflowScope): GroupEvents | undefined {
  return current !== undefined && Object.hasOwn(groups, current.kind)
    ? groups[current.kind as GroupUnit['type']]
    : undefined;
}
