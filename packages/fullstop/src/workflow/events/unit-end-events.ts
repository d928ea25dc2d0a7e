import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { outcome } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import { isObject, type JsonObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { rootCause } from '../../termination/root-cause.js';
import { reportError } from '../machine/report-error.js';
import type { StepType } from '../schema/document.js';
import { objectOf } from './described-workflow.js';
import type { EventWriter } from './event-writer.js';
import { writeMemberEnd } from './member-events.js';
import { memberOf } from './member-of-key.js';
import { writeValidatorEnd } from './model-events.js';
import { parsedText } from './parsed-text.js';
import { endDialog, settleAnswer } from './request-events.js';
import { beginMember, slotOf } from './step-events.js';
import { writeEnding } from './terminal-events.js';
import type { UnitScope } from './workflow-scope.js';

/** How the unit of a step ended. */
export function writeUnitEnd(writer: EventWriter, entry: JournalEntry<'unit_ended'>): void {
  const key = entry.key ?? '';
  const workflow = writer.workflows.get(entry.scope);
  if (workflow === undefined) {
    const around = writer.units.get(entry.scope);
    if (around !== undefined && key === 'validator') writeValidatorEnd(writer, entry, around);
    return;
  }
  const scope = entry.scope === '' ? key : `${entry.scope}/${key}`;
  const unit = writer.units.get(scope);
  if (unit === undefined) return;
  const { termination } = entry.data;
  if (termination.kind === 'cancelled') return;
  beginMember(writer, entry, unit);
  settleAnswer(writer, unit);
  endDialog(writer, entry, unit);
  const verdict = outcome(termination as Ending);
  const isDone = verdict === 'succeeded' || verdict === 'skipped';
  const output = objectOf(entry.data.output);
  const given = parsedText(output['output']);
  const child = writer.workflows.get(scope);
  if (child !== undefined) writeEnding(writer, entry, { workflow: child, termination, output: given });
  const error = isDone ? undefined : reportError(termination, unit.kind as StepType);
  const type = endEvent(unit, termination, isDone);
  const elapsed = (entry.at - unit.openedAt) / 1000;
  const ended: Ended = { unit, output, termination, error, elapsed };
  if (type !== undefined) writer.write(workflow, entry, type, { ...nameOf(unit), ...endData(type, ended) });
  const member = memberOf(workflow, key);
  if (member === undefined) return;
  const problem = error === undefined ? undefined : { name: error.name, message: error.message };
  const used = usedBy(ended);
  writeMemberEnd(writer, entry, { workflow, member, problem, since: unit.openedAt, used, output: given });
}

interface Ended {
  readonly unit: UnitScope;
  /** What the unit left behind. */
  readonly output: JsonObject;
  readonly termination: AnyTermination;
  readonly error: { readonly name: string; readonly message: string } | undefined;
  readonly elapsed: number;
}

function nameOf({ workflow, kind, step, member, iteration }: UnitScope): JsonObject {
  if (kind !== 'workflow' || member === undefined) return { agent_name: step };
  return { agent_name: workflow.at, item_key: member, iteration };
}

/** What models cost, where any was asked. */
function usedBy({ unit: { usage }, output }: Ended): JsonObject {
  const { model } = usage;
  return { model: model ?? '', tokens: output['tokens'] ?? 0, cost_usd: output['costUsd'] ?? null };
}

/** What the reference tells at the end of a step, by the event. */
function endData(type: string, ended: Ended): JsonObject {
  const { unit, output, elapsed, error } = ended;
  const given = parsedText(output['output']);
  const fields = objectOf(given);
  const failed = error === undefined ? {} : { error_type: error.name, message: error.message };
  switch (type) {
    case 'agent_completed':
      return {
        elapsed,
        ...usageData(ended),
        output: given ?? null,
        output_keys: isObject(given) ? Object.keys(given) : [],
      };
    case 'agent_timeout':
      return { elapsed, timeout_seconds: timeoutOf(ended) };
    case 'wait_completed':
      return { elapsed, waited_seconds: fields['waited_seconds'] ?? null, ...unit.began, interrupted: false };
    case 'gate_resolved':
      return {
        selected_option: fields['selected'] ?? null,
        route: output['to'] ?? null,
        additional_input: fields['additional_input'] ?? {},
      };
    case 'questions_completed':
      return {
        outcome: fields['outcome'] ?? null,
        answered_count: fields['answered_count'] ?? null,
        skipped_count: fields['skipped_count'] ?? null,
      };
    case 'subworkflow_completed':
    case 'subworkflow_failed': {
      const place = { parent_path: unit.workflow.slots, slot_key: slotOf(unit) };
      return { elapsed, ...(error === undefined ? { output: given ?? null } : failed), ...place };
    }
    default:
      return { elapsed, ...failed };
  }
}

function usageData({ unit, output }: Ended): JsonObject {
  const { model, inputTokens, outputTokens } = unit.usage;
  return {
    model,
    tokens: output['tokens'] ?? null,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: output['costUsd'] ?? null,
  };
}

function timeoutOf({ termination }: Ended): number | null {
  const cause = rootCause(termination);
  return cause.kind === 'time_budget' ? cause.limitMs / 1000 : null;
}

/** What the reference says at the end of a step, by its type: when it is done, and when it failed. */
const endings: Readonly<Record<string, readonly [done: string | undefined, failed: string | undefined]>> = {
  wait: ['wait_completed', 'wait_failed'],
  human_gate: ['gate_resolved', undefined],
  questions: ['questions_completed', undefined],
  workflow: ['subworkflow_completed', 'subworkflow_failed'],
  pipeline: ['agent_completed', 'agent_failed'],
  convergence: ['agent_completed', 'agent_failed'],
};

function endEvent(
  { kind, member, unmapped }: UnitScope,
  termination: AnyTermination,
  isDone: boolean,
): string | undefined {
  if (unmapped === true) return undefined;
  if (kind !== 'agent') return endings[kind]?.[isDone ? 0 : 1];
  if (isDone) return member === undefined ? 'agent_completed' : undefined;
  return rootCause(termination).kind === 'time_budget' ? 'agent_timeout' : undefined;
}
