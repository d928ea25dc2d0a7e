import { parseCallKey, parseCountedKey } from '../../agent/machine/agent-key.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { makeScope, parentScope } from '../../run/journal/scope-path.js';
import { isObject, type JsonObject } from '../../termination/json.js';
import { isDialogUnit, parseStepKey, parseVisitedUnit, startKey } from '../machine/workflow-key.js';
import { besideFile, choicesOf, objectOf, stepNamed } from './described-workflow.js';
import type { EventWriter } from './event-writer.js';
import { writeMemberEnd, writeMemberStart } from './member-events.js';
import { memberOf } from './member-of-key.js';
import { type InUnit, writeModelCall, writeToolCall, writeValidatorStart } from './model-events.js';
import { parsedText } from './parsed-text.js';
import { endDialog } from './request-events.js';
import { subWorkflowData } from './sub-workflow-data.js';
import { type Member, newScope, type UnitScope, type WorkflowScope } from './workflow-scope.js';

type OutcomeEntry = JournalEntry<'recorded' | 'step_ended'>;

/** What a workflow wrote down: its inputs, and what came of a set or script step, alone or in a group. */
export function writeStepEnd(writer: EventWriter, entry: OutcomeEntry, value: JsonObject): void {
  const workflow = writer.workflows.get(entry.scope) as WorkflowScope;
  if (entry.key === startKey) workflow.inputs = objectOf(parsedText(value['inputs']));
  if (entry.key === 'load') {
    beginMember(writer, entry, writer.units.get(entry.scope));
    writeSubWorkflowStart(writer, entry, value);
  }
  const step = parseStepKey(entry.key ?? '');
  if (step === undefined || step.type === 'terminate') return;
  const outcome = { workflow, kind: step.type, problem: problemIn(entry, value), value };
  const member = memberOf(workflow, step.unit);
  const { name, visit } = parseVisitedUnit(step.unit);
  if (member === undefined) writeAlone(writer, entry, { ...outcome, name, iteration: visit });
  else writeInGroup(writer, entry, { ...outcome, name: member.step, iteration: 1, member });
}

/** A script was announced when it began. */
function writeAlone(writer: EventWriter, entry: OutcomeEntry, outcome: StepOutcome): void {
  // What a step needs is looked at before it begins.
  if (outcome.problem?.['name'] === 'KeyError') return;
  if (outcome.kind === 'set') {
    startSet(writer, entry, outcome);
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

/** A set step is over before anyone could look, so that nothing but its outcome tells of it. */
function startSet(writer: EventWriter, entry: JournalEntry, { workflow, name, iteration }: StepOutcome): void {
  workflow.current = { name, kind: 'set', members: new Map() };
  workflow.at = name;
  workflow.enteredAt = writer.before;
  workflow.error = undefined;
  writer.write(workflow, entry, 'agent_started', { agent_name: name, iteration, agent_type: 'set' });
}

interface StepOutcome {
  readonly workflow: WorkflowScope;
  readonly name: string;
  readonly iteration: number;
  readonly kind: string;
  readonly problem: JsonObject | undefined;
  readonly value: JsonObject;
}

function writeOutcome(writer: EventWriter, entry: JournalEntry, outcome: StepOutcome): void {
  const { workflow, kind, name, problem } = outcome;
  const failed = problem !== undefined;
  const data = kind === 'set' ? setData(outcome) : scriptData(outcome);
  writer.write(workflow, entry, `${kind}_${failed ? 'failed' : 'completed'}`, {
    agent_name: name,
    elapsed: (entry.at - workflow.enteredAt) / 1000,
    ...(failed ? { error_type: problem['name'] ?? '', message: problem['message'] ?? '' } : data),
  });
}

const longestValue = 512;

function setData({ workflow, name, value }: StepOutcome): JsonObject {
  const output = parsedText(value['output']);
  const text = JSON.stringify(output ?? null);
  return {
    output_type: (workflow.source && stepNamed(workflow.source, name)['output_type']) ?? 'auto',
    output_keys: isObject(output) ? Object.keys(output).sort() : [],
    value_repr: text.length > longestValue ? `${text.slice(0, longestValue)}… [truncated]` : text,
  };
}

function scriptData({ value }: StepOutcome): JsonObject {
  const { stdout = '', stderr = '' } = objectOf(parsedText(value['output']));
  return { stdout, stderr, exit_code: value['exitCode'] ?? null, stdin_bytes: value['stdinBytes'] ?? 0 };
}

function problemIn({ data }: OutcomeEntry, value: JsonObject): JsonObject | undefined {
  if (!data.ok) return objectOf(data.error);
  const { problem } = value;
  return isObject(problem) ? objectOf(problem['error']) : undefined;
}

/** A unit of a step begins, or goes on in a later segment. */
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
  if (kind === 'workflow') {
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
  const file = source === undefined ? undefined : stepNamed(source, step)['workflow'];
  if (source === undefined || typeof file !== 'string') return undefined;
  return writer.describe(besideFile(source, file));
}

/** The place of a sub-workflow in the one around it. */
export function slotOf({ workflow, step, member }: UnitScope): string {
  return member === undefined ? step : `${workflow.at}[${member}]`;
}

/** What happened inside the unit of a step. */
export function writeUnitRecord(writer: EventWriter, entry: OutcomeEntry, value: JsonObject): void {
  const unit = unitAround(writer, entry.scope);
  if (unit === undefined) return;
  beginMember(writer, entry, unit);
  const key = recordOf(entry.key ?? '');
  const isFailed = value['problem'] !== undefined || !entry.data.ok;
  // A wait that cannot begin is announced all the same, and so is a prompt when it is the system prompt that fails.
  if (!isFailed || key === 'duration' || (key === 'prompt' && value['prompt'] !== undefined))
    recordWriters[key]?.(writer, entry, { unit, value });
}

/** What a record is: agents number theirs. */
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

type RecordWriter = (writer: EventWriter, entry: JournalEntry, given: InUnit) => void;

const recordWriters: Readonly<Record<string, RecordWriter>> = {
  prompt: writePrompt,
  duration: (writer, entry, { unit, value }) => {
    const { milliseconds, reason = null } = value;
    unit.began = { requested_seconds: typeof milliseconds === 'number' ? milliseconds / 1000 : null, reason };
    const { step, iteration } = unit;
    const duration = unit.began['requested_seconds'] ?? null;
    const data = { agent_name: step, iteration, duration_seconds: duration, reason };
    writer.write(unit.workflow, entry, 'wait_started', data);
  },
  questions: (writer, entry, { unit, value }) => {
    unit.began = value;
    const questions = (Array.isArray(value['questions']) ? value['questions'] : []).map(objectOf);
    writer.write(unit.workflow, entry, 'questions_presented', {
      agent_name: unit.step,
      total: questions.length,
      prompt: value['prompt'] ?? null,
      questions: questions.map(({ id = null, text = null, hint = null, choices = null }) => ({
        id,
        text,
        hint,
        choices,
      })),
    });
  },
  model: writeModelCall,
  tool: writeToolCall,
};

function writePrompt(writer: EventWriter, entry: JournalEntry, { unit, value }: InUnit): void {
  const { workflow, step, kind } = unit;
  const { prompt = '', workingDirectory = null } = value;
  if (kind !== 'agent') {
    const choices = choicesOf(workflow.source === undefined ? {} : stepNamed(workflow.source, step));
    writer.write(workflow, entry, 'gate_presented', { agent_name: step, ...choices, prompt });
    return;
  }
  writer.addToStart(workflow, announcedName(unit), { working_dir: workingDirectory });
  writer.write(workflow, entry, 'agent_prompt_rendered', { agent_name: step, rendered_prompt: prompt });
}

/** The name under which an agent was announced. */
function announcedName({ step, member, workflow }: UnitScope): string {
  return member === undefined || workflow.current?.kind === 'parallel' ? step : `${step}[${member}]`;
}

/** The unit that a scope belongs to, itself or the nearest around it. */
function unitAround(writer: EventWriter, scope: string): UnitScope | undefined {
  for (let path = scope; path !== ''; path = parentScope(path)) {
    const unit = writer.units.get(path);
    if (unit !== undefined) return unit;
  }
  return undefined;
}
