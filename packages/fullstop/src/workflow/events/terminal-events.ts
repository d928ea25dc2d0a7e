import type { Envelope } from '../../engines/port/envelope.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { outcome } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { reportError } from '../machine/report-error.js';
import { topologyOf } from './described-workflow.js';
import type { EventWriter } from './event-writer.js';
import type { WorkflowScope } from './workflow-scope.js';

/** The first event of a workflow, which a resume writes again. */
export function writeWorkflowStart(
  writer: EventWriter,
  entry: JournalEntry,
  { resumed }: { readonly resumed: boolean },
): void {
  const workflow = writer.workflows.get(entry.scope);
  if (workflow === undefined) return;
  const entryPoint = entry.type === 'observed' ? entry.data['entry'] : undefined;
  writer.write(workflow, entry, 'workflow_started', {
    ...(workflow.source !== undefined && topologyOf(writer.files, workflow.source, (type) => writer.eventsOf(type))),
    ...(entryPoint !== undefined && { entry_point: entryPoint }),
    inputs: workflow.inputs,
    run_id: entry.runId,
    ...(resumed && { resumed }),
  });
}

/** The last event of the run; a run that waits has none. */
export function writeTerminal(
  writer: EventWriter,
  entry: JournalEntry,
  { termination, output }: Pick<Envelope, 'termination' | 'output'>,
): void {
  const workflow = writer.workflows.get('');
  if (workflow !== undefined) writeEnding(writer, entry, { workflow, termination, output });
}

interface Ended {
  readonly workflow: WorkflowScope;
  readonly termination: AnyTermination;
  readonly output: JsonValue | undefined;
}

/** How a workflow ended, the run's own or one inside it. */
export function writeEnding(writer: EventWriter, entry: JournalEntry, { workflow, termination, output }: Ended): void {
  const verdict = outcome(termination as Ending);
  if (verdict === 'paused') return;
  const elapsed = (entry.at - workflow.startedAt) / 1000;
  const explicit = termination.kind === 'terminated' ? (workflow.explicit ?? {}) : {};
  if (verdict === 'succeeded' || verdict === 'skipped') {
    writer.write(workflow, entry, 'workflow_completed', { elapsed, output: output ?? {}, ...explicit });
    return;
  }
  if (termination.kind === 'time_budget' && workflow.groupIsOpen) {
    const { at, succeeded, failed } = workflow;
    writer.write(workflow, entry, 'parallel_completed', {
      group_name: at,
      success_count: succeeded,
      failure_count: failed,
    });
  }
  // The machine was not asked any more where the limit was reached inside a step.
  if (termination.kind === 'cost_budget' && workflow.reportedUsd !== termination.usedUsd) {
    workflow.reportedUsd = termination.usedUsd;
    const data = { ...limitData(workflow, termination), budget_mode: 'enforce' };
    writer.write(workflow, entry, 'budget_exceeded', data);
  }
  writer.write(workflow, entry, 'workflow_failed', {
    elapsed,
    ...failureData(workflow, termination),
    ...limitData(workflow, termination),
    ...explicit,
    ...(termination.kind === 'terminated' && { output: output ?? {} }),
  });
}

/** The data that the reference adds where a limit ended the workflow. */
function limitData({ at }: WorkflowScope, termination: AnyTermination): JsonObject {
  if (termination.kind === 'time_budget') {
    const { elapsedMs, limitMs } = termination;
    return { elapsed_seconds: elapsedMs / 1000, timeout_seconds: limitMs / 1000, current_agent: at };
  }
  if (termination.kind !== 'cost_budget') return {};
  return { budget_usd: termination.limitUsd, spent_usd: termination.usedUsd, current_agent: at };
}

/** The kinds whose error the step at hand has reported in the words of the reference. */
const kindsOfSteps: ReadonlySet<string> = new Set(['failed', 'child_failed', 'max_iterations']);

function failureData(workflow: WorkflowScope, termination: AnyTermination): JsonObject {
  if (termination.kind === 'terminated') {
    return { error_type: 'WorkflowTerminated', message: termination.reason, agent_name: termination.by };
  }
  if (termination.kind === 'cancelled') {
    const message = termination.reason ?? 'The run was cancelled';
    return { error_type: 'InterruptError', message, agent_name: workflow.at, stopped_by_user: true };
  }
  const isOfStep = kindsOfSteps.has(termination.kind);
  const { name, message } = (isOfStep ? workflow.error : undefined) ?? reportError(termination, { asksModel: false });
  return { error_type: name, message, agent_name: workflow.at };
}
