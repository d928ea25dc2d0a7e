import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import type { EventWriter } from './event-writer.js';
import { groupEvents } from './group-events.js';
import { writeWorkflowStart } from './terminal-events.js';
import type { KnownStep, WorkflowScope } from './workflow-scope.js';

type Writer = (writer: EventWriter, entry: JournalEntry, given: { workflow: WorkflowScope; data: JsonObject }) => void;

/** Writes an observation of the machine in the words of the reference. */
export function writeObserved(writer: EventWriter, entry: JournalEntry, data: JsonObject): void {
  const workflow = writer.workflows.get(entry.scope);
  const { type } = data;
  if (workflow !== undefined && typeof type === 'string') writers[type]?.(writer, entry, { workflow, data });
}

const writers: Readonly<Record<string, Writer>> = {
  workflow_started: (writer, entry) => writeWorkflowStart(writer, entry, { resumed: false }),
  step_started: startStep,
  step_failed: (writer, _entry, { workflow, data }) => {
    const error = data['error'] as { readonly name: string; readonly message: string; readonly code?: string };
    workflow.at = text(data['step']);
    workflow.error = error;
    if (error.name === 'KeyError' || error.code === 'NO_DIRECTORY') writer.takeBackStart(workflow, workflow.at);
  },
  group_started: (writer, entry, { workflow, data }) => {
    workflow.keys = data['keys'] as readonly string[];
    const { max_concurrent = 10, failure_mode = 'fail_fast' } =
      workflow.source?.forEach.find(({ name }) => name === workflow.at) ?? {};
    writer.write(workflow, entry, 'for_each_started', {
      group_name: workflow.at,
      item_count: workflow.keys.length,
      max_concurrent,
      failure_mode,
    });
  },
  group_completed: endGroup,
  group_failed: (writer, entry, given) => {
    // An item that fails fast leaves the group without an end.
    const isFast = given.data['mode'] === 'fail_fast' && groupEvents(given.workflow)?.endsSilently === true;
    given.workflow.groupIsOpen = false;
    if (!isFast && given.data['stopped'] !== true) endGroup(writer, entry, given);
  },
  route: (writer, entry, { workflow, data }) => {
    workflow.at = text(data['from']);
    // An execution counts for the limit by then, whether or not there is a way on.
    workflow.history.push(workflow.at);
    if (data['to'] === undefined) return;
    const { current } = workflow;
    if (current?.name === data['from'] && writer.eventsOf(current?.kind ?? '').hidesRoute) return;
    writer.write(workflow, entry, 'route_taken', { from_agent: text(data['from']), to_agent: text(data['to']) });
  },
  error_route: (writer, entry, { workflow, data }) => {
    workflow.error = undefined;
    writer.write(workflow, entry, 'route_taken', { from_agent: text(data['from']), to_agent: text(data['to']) });
  },
  budget_exceeded: (writer, entry, { workflow, data }) => {
    workflow.reportedUsd = Number(data['spentUsd']);
    writer.write(workflow, entry, 'budget_exceeded', {
      budget_usd: data['budgetUsd'] ?? null,
      spent_usd: data['spentUsd'] ?? null,
      budget_mode: data['mode'] ?? null,
      current_agent: data['step'] ?? null,
    });
  },
  limit_reached: (writer, entry, { workflow, data }) => {
    workflow.at = text(data['step']);
    const { members } = data;
    const who = members === undefined ? 'agent_name' : 'group_name';
    if (members !== undefined) {
      const message = `Parallel group '${workflow.at}' with ${members} agents would exceed maximum iterations (${data['limit']})`;
      workflow.error = { name: 'MaxIterationsError', message };
    }
    const recent = workflow.history.slice(-5);
    writer.write(workflow, entry, 'iteration_limit_reached', {
      [who]: workflow.at,
      ...(members !== undefined && { agent_count: members }),
      current_iteration: data['used'] ?? null,
      max_iterations: data['limit'] ?? null,
      agent_history: recent,
      possible_loop: recent.length >= 3 && new Set(recent.slice(-3)).size === 1,
      skip_gates: writer.skipsGates,
    });
    writer.write(workflow, entry, 'iteration_limit_resolved', {
      continue_execution: false,
      additional_iterations: 0,
      aborted: false,
    });
  },
  terminated: (writer, entry, { workflow, data }) => {
    const { status, reason, step } = data;
    const explicit = {
      termination_reason: reason ?? '',
      terminated_by: step ?? '',
      is_explicit: true,
      status: status ?? '',
    };
    workflow.explicit = explicit;
    const failed = status === 'failed';
    writer.write(workflow, entry, failed ? 'agent_failed' : 'agent_completed', {
      agent_name: text(step),
      elapsed: (entry.at - workflow.enteredAt) / 1000,
      agent_type: workflow.current?.kind ?? '',
      ...(failed && { error_type: 'WorkflowTerminated', message: reason ?? '' }),
      ...explicit,
    });
  },
  terminate_failed: (writer, entry, { workflow, data }) => {
    if (data['error'] === 'KeyError') writer.takeBackStart(workflow, text(data['step']));
    if (data['stage'] !== 'output') return;
    writer.write(workflow, entry, 'agent_failed', {
      agent_name: text(data['step']),
      elapsed: (entry.at - workflow.enteredAt) / 1000,
      agent_type: workflow.current?.kind ?? '',
      error_type: text(data['error']),
      message: text(data['message']),
    });
  },
};

function startStep(
  writer: EventWriter,
  entry: JournalEntry,
  { workflow, data }: { workflow: WorkflowScope; data: JsonObject },
): void {
  const step = knownStep(data);
  workflow.current = step;
  workflow.at = step.name;
  workflow.enteredAt = entry.at;
  workflow.error = undefined;
  workflow.succeeded = 0;
  workflow.failed = 0;
  const iteration = data['iteration'] ?? 1;
  const group = groupEvents(workflow);
  if (group !== undefined) {
    group.started(writer, entry, workflow, data);
    return;
  }
  writer.write(workflow, entry, 'agent_started', { agent_name: step.name, iteration, agent_type: step.kind });
  writer.eventsOf(step.kind).started?.(writer, entry, { workflow, name: step.name, iteration });
}

function knownStep(data: JsonObject): KnownStep {
  const members = new Map<string, string>();
  for (const member of Array.isArray(data['members']) ? (data['members'] as readonly JsonValue[]) : []) {
    if (isObject(member)) members.set(text(member['name']), text(member['kind']));
  }
  const item = data['member'];
  return {
    name: text(data['step']),
    kind: text(data['kind']),
    members,
    ...(isObject(item) && { item: { name: text(item['name']), kind: text(item['kind']) } }),
  };
}

function endGroup(
  writer: EventWriter,
  entry: JournalEntry,
  { workflow, data }: { workflow: WorkflowScope; data: JsonObject },
): void {
  const type = groupEvents(workflow)?.completed;
  if (type === undefined) return;
  const { succeeded, failed } = workflow;
  workflow.groupIsOpen = false;
  writer.write(workflow, entry, type, {
    group_name: text(data['step']),
    success_count: succeeded,
    failure_count: failed,
    elapsed: (entry.at - workflow.enteredAt) / 1000,
  });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
