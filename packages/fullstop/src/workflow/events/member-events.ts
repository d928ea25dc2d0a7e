import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { EventWriter } from './event-writer.js';
import type { Member, WorkflowScope } from './workflow-scope.js';

interface MemberStart extends Member {
  readonly workflow: WorkflowScope;
}

/** A member of a group begins. */
export function writeMemberStart(writer: EventWriter, entry: JournalEntry, member: MemberStart): void {
  const { workflow, step, kind, member: key, index } = member;
  const group = { group_name: workflow.at, agent_name: step };
  const { isAgent } = writer.eventsOf(kind);
  if (workflow.current?.kind === 'parallel') {
    if (isAgent) writer.write(workflow, entry, 'parallel_agent_started', group);
  } else {
    writer.write(workflow, entry, 'for_each_item_started', { group_name: workflow.at, item_key: key, index });
    const agent = `${step}[${key}]`;
    if (isAgent)
      writer.write(workflow, entry, 'for_each_agent_started', { ...group, agent_name: agent, item_key: key });
  }
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
  const isParallel = workflow.current?.kind === 'parallel';
  const prefix = isParallel ? 'parallel_agent' : 'for_each_item';
  const { model = '', tokens = 0, cost_usd = 0 } = end.used ?? {};
  writer.write(workflow, entry, `${prefix}_${failed ? 'failed' : 'completed'}`, {
    group_name: workflow.at,
    ...(isParallel ? { agent_name: member.step } : { item_key: member.member }),
    elapsed: (entry.at - since) / 1000,
    ...(failed
      ? { error_type: problem['name'] ?? '', message: problem['message'] ?? '' }
      : { ...(isParallel && { model }), tokens, cost_usd, ...(!isParallel && { output: output ?? null }) }),
  });
}
