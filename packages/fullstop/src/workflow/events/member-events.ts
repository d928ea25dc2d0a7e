import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { EventWriter } from './event-writer.js';
import { groupEvents, type MemberStart } from './group-events.js';
import type { Member, WorkflowScope } from './workflow-scope.js';

/** A member of a group begins. */
export function writeMemberStart(writer: EventWriter, entry: JournalEntry, member: Omit<MemberStart, 'isAgent'>): void {
  const isAgent = writer.eventsOf(member.kind).isAgent === true;
  groupEvents(member.workflow)?.memberStarted(writer, entry, { ...member, isAgent });
}

interface MemberEnd {
  readonly workflow: WorkflowScope;
  readonly member: Member;
  readonly problem: JsonObject | undefined;
  /** When it was opened. */
  readonly since: number;
  /** The model, the tokens and the cost of a member that asked one. */
  readonly used?: JsonObject;
  readonly output?: JsonValue | undefined;
}

/** A member of a group is done, or failed. */
export function writeMemberEnd(writer: EventWriter, entry: JournalEntry, end: MemberEnd): void {
  const { workflow, member, problem, since, output } = end;
  if (problem?.['code'] === 'BATCH_STOPPED') return;
  const failed = problem !== undefined;
  if (failed) workflow.failed += 1;
  else workflow.succeeded += 1;
  const group = groupEvents(workflow);
  if (group === undefined) return;
  const { model = '', tokens = 0, cost_usd = 0 } = end.used ?? {};
  writer.write(workflow, entry, `${group.member}_${failed ? 'failed' : 'completed'}`, {
    group_name: workflow.at,
    ...group.memberData(member),
    elapsed: (entry.at - since) / 1000,
    ...(failed
      ? { error_type: problem['name'] ?? '', message: problem['message'] ?? '' }
      : group.doneData({ model, tokens, cost_usd }, output ?? null)),
  });
}
