import { parseCallKey, parseCountedKey } from '../../agent/machine/agent-key.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { makeScope, parentScope } from '../../run/journal/scope-path.js';
import { isObject, type JsonObject } from '../../termination/json.js';
import { isDialogUnit, parseRecordKey, parseVisitedUnit, startKey } from '../graph/workflow-key.js';
import { besideFile, findStep, objectOf } from './described-workflow.js';
import { endDialog } from './dialog-events.js';
import type { EventWriter, RecordWriter, StepOutcome } from './event-writer.js';
import { writeMemberEnd, writeMemberStart } from './member-events.js';
import { memberOf } from './member-of-key.js';
import { writeModelCall, writeToolCall, writeValidatorStart } from './model-events.js';
import { parsedText } from './parsed-text.js';
import { slotOf, subWorkflowData } from './sub-workflow-data.js';
import { type Member, newScope, type UnitScope, type WorkflowScope } from './workflow-scope.js';

type OutcomeEntry = JournalEntry<'recorded' | 'step_ended'>;

/** Writes the records of a workflow: its inputs, and the outcome of a step without a unit, alone or in a group. */
export function writeStepEnd(writer: EventWriter, entry: OutcomeEntry, value: JsonObject): void {
  const workflow = writer.workflows.get(entry.scope) as WorkflowScope;
  if (entry.key === startKey) workflow.inputs = objectOf(parsedText(value['inputs']));
  if (entry.key === 'load') {
    beginMember(writer, entry, writer.units.get(entry.scope));
    writeSubWorkflowStart(writer, entry, value);
  }
  const { type: kind = '', about: unit = '' } = parseRecordKey(entry.key ?? '') ?? {};
  if (writer.eventsOf(kind).outcome === undefined) return;
  const outcome = { workflow, kind, problem: problemIn(entry, value), value };
  const member = memberOf(workflow, unit);
  const { name, visit } = parseVisitedUnit(unit);
  if (member === undefined) writeAlone(writer, entry, { ...outcome, name, iteration: visit });
  else writeInGroup(writer, entry, { ...outcome, name: member.step, iteration: 1, member });
}

/** A step that the machine announced was written when it began. */
function writeAlone(writer: EventWriter, entry: OutcomeEntry, outcome: StepOutcome): void {
  // What a step needs is looked at before it begins.
  if (outcome.problem?.['name'] === 'KeyError') return;
  if (writer.steps.find(outcome.kind)?.machine.isAnnounced === false) {
    startUnannounced(writer, entry, outcome);
    writeBeginning(writer, entry, outcome);
  }
  writeOutcome(writer, entry, outcome);
}

function writeInGroup(writer: EventWriter, entry: OutcomeEntry, outcome: StepOutcome & { member: Member }): void {
  const { workflow, member, problem, value } = outcome;
  writeMemberStart(writer, entry, { workflow, ...member });
  if (problem?.['name'] !== 'KeyError') {
    writeBeginning(writer, entry, outcome);
    writeOutcome(writer, entry, outcome);
  }
  const output = parsedText(value['output']);
  writeMemberEnd(writer, entry, { workflow, member, problem, since: workflow.enteredAt, output });
}

function writeBeginning(
  writer: EventWriter,
  entry: JournalEntry,
  { workflow, kind, name, iteration }: StepOutcome,
): void {
  writer.write(workflow, entry, `${kind}_started`, { agent_name: name, iteration });
}

/** Nothing but its outcome shows that such a step began. */
function startUnannounced(writer: EventWriter, entry: JournalEntry, outcome: StepOutcome): void {
  const { workflow, kind, name, iteration } = outcome;
  workflow.current = { name, kind, members: new Map() };
  workflow.at = name;
  workflow.enteredAt = writer.before;
  workflow.error = undefined;
  writer.write(workflow, entry, 'agent_started', { agent_name: name, iteration, agent_type: kind });
}

function writeOutcome(writer: EventWriter, entry: JournalEntry, outcome: StepOutcome): void {
  const { workflow, kind, name, problem } = outcome;
  const failed = problem !== undefined;
  const data = writer.eventsOf(kind).outcome?.(outcome) ?? {};
  writer.write(workflow, entry, `${kind}_${failed ? 'failed' : 'completed'}`, {
    agent_name: name,
    elapsed: (entry.at - workflow.enteredAt) / 1000,
    ...(failed ? { error_type: problem['name'] ?? '', message: problem['message'] ?? '' } : data),
  });
}

function problemIn({ data }: OutcomeEntry, value: JsonObject): JsonObject | undefined {
  if (!data.ok) return objectOf(data.error);
  const { problem } = value;
  return isObject(problem) ? objectOf(problem['error']) : undefined;
}

/** A unit of a step begins, or continues in a later segment. */
export function writeUnitStart(writer: EventWriter, entry: JournalEntry<'scope_opened'>): void {
  const workflow = writer.workflows.get(entry.scope);
  if (workflow === undefined) {
    writePartStart(writer, entry);
    return;
  }
  const { name: key, attempt } = entry.data;
  const scope = makeScope(entry.scope, key);
  const member = memberOf(workflow, key);
  const kind = member?.kind ?? workflow.current?.kind ?? '';
  const own = parseVisitedUnit(key);
  const step = member?.step ?? own.name;
  const unit: UnitScope = {
    workflow,
    step,
    kind,
    iteration: member === undefined ? own.visit : member.index + 1,
    openedAt: entry.at,
    usage: { model: null, inputTokens: 0, outputTokens: 0, toolInputs: [] },
    corrections: 0,
    began: {},
    ...(member !== undefined && { member: member.member }),
  };
  writer.units.set(scope, unit);
  if (writer.eventsOf(kind).isWorkflow) {
    const slots = [...workflow.slots, slotOf(unit)];
    writer.workflows.set(scope, newScope({ path: scope, slots, startedAt: entry.at, source: childOf(writer, unit) }));
  }
  if (member !== undefined) unit.starts = member;
  else if (attempt > 1) writer.write(workflow, entry, 'agent_started', { agent_name: step, agent_type: kind });
}

/** A part of an agent step begins: its validator, or the agent once more after a dialog. */
function writePartStart(writer: EventWriter, entry: JournalEntry<'scope_opened'>): void {
  const unit = writer.units.get(entry.scope);
  if (unit === undefined) return;
  const { name } = entry.data;
  if (!isDialogUnit(name)) endDialog(writer, entry, unit);
  unit.part = { openedAt: entry.at, model: unit.usage.model };
  if (name === 'validator') writeValidatorStart(writer, entry, unit);
}

function childOf(writer: EventWriter, { workflow, step }: UnitScope): WorkflowScope['source'] {
  const { source } = workflow;
  const file = source === undefined ? undefined : findStep(source, step)['workflow'];
  if (source === undefined || typeof file !== 'string') return undefined;
  return writer.describe(besideFile(source, file));
}

/** Writes what happened inside the unit of a step. */
export function writeUnitRecord(writer: EventWriter, entry: OutcomeEntry, value: JsonObject): void {
  const unit = unitAround(writer, entry.scope);
  if (unit === undefined) return;
  beginMember(writer, entry, unit);
  const key = recordOf(entry.key ?? '');
  const isFailed = value['problem'] !== undefined || !entry.data.ok;
  // A wait that cannot begin is announced all the same, and so is a prompt when it is the system prompt that fails.
  if (!isFailed || key === 'duration' || (key === 'prompt' && value['prompt'] !== undefined))
    (writer.eventsOf(unit.kind).records?.[key] ?? modelRecords[key])?.(writer, entry, { unit, value });
}

/** The type of a record: agents number theirs. */
function recordOf(key: string): string {
  return parseCountedKey(key)?.word ?? parseCallKey(key)?.effect ?? key;
}

/** A member is announced with the first thing it does: many are opened before their turn comes, and some never begin. */
export function beginMember(writer: EventWriter, entry: JournalEntry, unit: UnitScope | undefined): void {
  if (unit?.starts === undefined) return;
  writeMemberStart(writer, entry, { workflow: unit.workflow, ...unit.starts });
  unit.starts = undefined;
}

/** An item is announced as a sub-workflow once its inputs are known. */
function writeSubWorkflowStart(writer: EventWriter, entry: JournalEntry, value: JsonObject): void {
  const unit = writer.units.get(entry.scope);
  if (unit?.member === undefined) return;
  unit.unmapped = value['stage'] === 'mapping';
  if (unit.unmapped) return;
  const { workflow, step, member, iteration } = unit;
  const started = { agent_name: workflow.at, item_key: member, iteration };
  const more = subWorkflowData(workflow, step, slotOf(unit));
  writer.write(workflow, entry, 'subworkflow_started', { ...started, ...more });
}

/** Any unit may hold an agent. */
const modelRecords: Readonly<Record<string, RecordWriter>> = { model: writeModelCall, tool: writeToolCall };

/** The unit that a scope belongs to, itself or its nearest parent. */
function unitAround(writer: EventWriter, scope: string): UnitScope | undefined {
  for (let path = scope; path !== ''; path = parentScope(path)) {
    const unit = writer.units.get(path);
    if (unit !== undefined) return unit;
  }
  return undefined;
}
