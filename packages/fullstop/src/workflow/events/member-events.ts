import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { JsonObject } from '../../termination/json.js';
import type { EventWriter } from './event-writer.js';
import type { Member, WorkflowScope } from './workflow-scope.js';

interface MemberStart extends Member {
  readonly workflow: WorkflowScope;
}

/** A member of a group begins. */
export function writeMemberStart(writer: EventWriter, entry: JournalEntry, member: MemberStart): void {
  const { workflow, step, kind, member: key, index } = member;
  const group = { group_name: workflow.at, agent_name: step };
  if (workflow.current?.kind === 'parallel') {
    // The reference announces only members that ask a model.
    if (kind === 'agent') writer.write(workflow, entry, 'parallel_agent_started', group);
  } else {
    writer.write(workflow, entry, 'for_each_item_started', { group_name: workflow.at, item_key: key, index });
    if (kind === 'agent') writer.write(workflow, entry, 'for_each_agent_started', { ...group, item_key: key });
  }
}

interface MemberEnd {
  readonly workflow: WorkflowScope;
  readonly member: Member;
  readonly problem: JsonObject | undefined;
}

/** A member of a group is done, or failed. */
export function writeMemberEnd(
  writer: EventWriter,
  entry: JournalEntry,
  { workflow, member, problem }: MemberEnd,
): void {
  if (problem?.['code'] === 'BATCH_STOPPED') return;
  const failed = problem !== undefined;
  if (failed) workflow.failed += 1;
  else workflow.succeeded += 1;
  const error = failed ? { error_type: problem['name'] ?? '', message: problem['message'] ?? '' } : {};
  const isParallel = workflow.current?.kind === 'parallel';
  const prefix = isParallel ? 'parallel_agent' : 'for_each_item';
  const who = isParallel ? { agent_name: member.step } : { item_key: member.member };
  writer.write(workflow, entry, `${prefix}_${failed ? 'failed' : 'completed'}`, {
    group_name: workflow.at,
    ...who,
    ...error,
  });
}
