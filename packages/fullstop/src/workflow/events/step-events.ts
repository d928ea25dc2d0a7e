import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { outcome } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { rootCause } from '../../termination/root-cause.js';
import type { StepType } from '../document.js';
import { reportError } from '../machine/report-error.js';
import { readJson } from '../perform/coerce.js';
import { valueToJson } from '../template/json-text.js';
import type { EventWriter } from './event-writer.js';
import { writeMemberEnd, writeMemberStart } from './member-events.js';
import { objectOf, writeEnding } from './terminal-events.js';
import { type Member, newScope, type UnitScope, type WorkflowScope } from './workflow-scope.js';

type OutcomeEntry = JournalEntry<'recorded' | 'step_ended'>;

/** What came of a set or script step, alone or in a group. */
export function writeStepEnd(writer: EventWriter, entry: OutcomeEntry, value: JsonObject): void {
  const workflow = writer.workflows.get(entry.scope) as WorkflowScope;
  if (entry.key === 'load') {
    beginMember(writer, entry, writer.units.get(entry.scope));
    writeSubWorkflowStart(writer, entry, value);
  }
  const [, kind = '', key = ''] = /^(set|script):(.*)$/s.exec(entry.key ?? '') ?? [];
  if (kind === '') return;
  const problem = problemIn(entry, value);
  const member = memberOf(workflow, key);
  const name = member?.step ?? withoutVisit(key);
  if (member === undefined && kind === 'set') {
    if (problem?.['name'] === 'KeyError') return;
    startSet(writer, entry, { workflow, name });
  }
  if (member !== undefined) writeMemberStart(writer, entry, { workflow, ...member });
  // What a step needs is looked at before it begins.
  const began = problem?.['name'] !== 'KeyError';
  if (began && (member !== undefined || kind === 'set')) {
    writer.write(workflow, entry, `${kind}_started`, { agent_name: name });
  }
  if (began) writeOutcome(writer, entry, { workflow, kind, name, problem, value });
  if (member !== undefined) writeMemberEnd(writer, entry, { workflow, member, problem });
}

interface SetStart {
  readonly workflow: WorkflowScope;
  readonly name: string;
}

function startSet(writer: EventWriter, entry: JournalEntry, { workflow, name }: SetStart): void {
  const iteration = (workflow.visits.get(name) ?? 0) + 1;
  workflow.visits.set(name, iteration);
  workflow.current = { name, kind: 'set', members: new Map() };
  workflow.at = name;
  workflow.error = undefined;
  writer.write(workflow, entry, 'agent_started', { agent_name: name, iteration, agent_type: 'set' });
}

interface StepOutcome extends SetStart {
  readonly kind: string;
  readonly problem: JsonObject | undefined;
  readonly value: JsonObject;
}

function writeOutcome(
  writer: EventWriter,
  entry: JournalEntry,
  { workflow, kind, name, problem, value }: StepOutcome,
): void {
  const failed = problem !== undefined && { error_type: problem['name'] ?? '', message: problem['message'] ?? '' };
  const exit = value['exitCode'] === undefined ? {} : { exit_code: value['exitCode'] };
  const type = problem === undefined ? `${kind}_completed` : `${kind}_failed`;
  writer.write(workflow, entry, type, { agent_name: name, ...failed, ...exit });
}

function problemIn({ data }: OutcomeEntry, value: JsonObject): JsonObject | undefined {
  if (!data.ok) return objectOf(data.error);
  const { problem } = value;
  return isObject(problem) ? objectOf(problem['error']) : undefined;
}

/** `m#2` is the second visit to `m`. */
function withoutVisit(key: string): string {
  return key.replace(/#\d+$/, '');
}

/** The member of the group at hand that a key belongs to. */
function memberOf({ current, keys }: WorkflowScope, key: string): Member | undefined {
  if (current === undefined || (current.kind !== 'parallel' && current.kind !== 'for_each')) return undefined;
  if (!key.startsWith(current.name)) return undefined;
  const rest = key.slice(current.name.length).replace(/^#\d+/, '');
  if (current.kind === 'parallel') {
    const name = rest.slice(1);
    const kind = current.members.get(name);
    return kind === undefined
      ? undefined
      : { step: name, kind, member: name, index: [...current.members.keys()].indexOf(name) };
  }
  const [, digits] = /^\[(\d+)\]$/.exec(rest) ?? [];
  if (digits === undefined || current.item === undefined) return undefined;
  const index = Number(digits);
  return { step: current.item.name, kind: current.item.kind, member: keys[index] ?? digits, index };
}

/** A unit of a step begins, or goes on in a later segment. */
export function writeUnitStart(writer: EventWriter, entry: JournalEntry<'scope_opened'>): void {
  const workflow = writer.workflows.get(entry.scope);
  if (workflow === undefined) return;
  const { name: key, attempt } = entry.data;
  const scope = entry.scope === '' ? key : `${entry.scope}/${key}`;
  const member = memberOf(workflow, key);
  const kind = member?.kind ?? workflow.current?.kind ?? '';
  const step = member?.step ?? withoutVisit(key);
  const unit: UnitScope = {
    workflow,
    step,
    kind,
    openedAt: entry.at,
    ...(member !== undefined && { member: member.member }),
  };
  writer.units.set(scope, unit);
  if (kind === 'workflow') {
    const slot = member === undefined ? step : `${workflow.at}[${member.member}]`;
    writer.workflows.set(scope, newScope(scope, [...workflow.slots, slot], entry.at));
  }
  if (member !== undefined) unit.starts = member;
  else if (attempt > 1) writer.write(workflow, entry, 'agent_started', { agent_name: step, agent_type: kind });
}

/** What happened inside the unit of a step. */
export function writeUnitRecord(writer: EventWriter, entry: OutcomeEntry, value: JsonObject): void {
  const unit = unitAround(writer, entry.scope);
  if (unit === undefined) return;
  beginMember(writer, entry, unit);
  const [key = ''] = (entry.key ?? '').split(':');
  const isFailed = value['problem'] !== undefined || !entry.data.ok;
  // A wait that cannot begin is announced all the same, and then fails.
  if (!isFailed || key === 'duration') recordWriters[key]?.(writer, entry, { unit, value });
}

/** A member is announced with the first thing it does: many are opened before their turn comes, and some never begin. */
function beginMember(writer: EventWriter, entry: JournalEntry, unit: UnitScope | undefined): void {
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
  const slot = `${unit.workflow.at}[${unit.member}]`;
  writer.write(unit.workflow, entry, 'subworkflow_started', { agent_name: unit.step, slot_key: slot });
}

type RecordWriter = (writer: EventWriter, entry: JournalEntry, given: InUnit) => void;

const recordWriters: Readonly<Record<string, RecordWriter>> = {
  prompt: (writer, entry, { unit, value }) => {
    const prompt = value['prompt'] ?? '';
    const isAgent = unit.kind === 'agent';
    const data = isAgent ? { rendered_prompt: prompt } : { prompt };
    writer.write(unit.workflow, entry, isAgent ? 'agent_prompt_rendered' : 'gate_presented', {
      agent_name: unit.step,
      ...data,
    });
  },
  duration: (writer, entry, { unit, value }) => {
    writer.write(unit.workflow, entry, 'wait_started', waitData(unit.step, value));
  },
  questions: (writer, entry, { unit, value }) => {
    const questions = Array.isArray(value['questions']) ? value['questions'] : [];
    writer.write(unit.workflow, entry, 'questions_presented', { agent_name: unit.step, total: questions.length });
  },
  model: writeModelCall,
  tool: writeToolCall,
};

function waitData(step: string, value: JsonObject): JsonObject {
  const milliseconds = value['milliseconds'];
  return { agent_name: step, duration_seconds: typeof milliseconds === 'number' ? milliseconds / 1000 : null };
}

/** The unit that a scope belongs to, itself or the nearest around it. */
function unitAround(writer: EventWriter, scope: string): UnitScope | undefined {
  for (let path = scope; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    const unit = writer.units.get(path);
    if (unit !== undefined) return unit;
  }
  return undefined;
}

interface InUnit {
  readonly unit: UnitScope;
  readonly value: JsonObject;
}

function writeModelCall(writer: EventWriter, entry: JournalEntry, { unit, value }: InUnit): void {
  const { workflow, step } = unit;
  if (unit.mending === true)
    writer.write(workflow, entry, 'agent_parse_recovery', { agent_name: step, reason: 'schema' });
  const attempts = typeof value['attempts'] === 'number' ? value['attempts'] : 1;
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    writer.write(workflow, entry, 'agent_retry', { agent_name: step, attempt });
  }
  unit.mending = objectOf(value['output'])['ok'] === false;
}

function writeToolCall(writer: EventWriter, entry: JournalEntry, { unit, value }: InUnit): void {
  const tool = (entry.key ?? '').split(':').slice(2).join(':');
  const data = { agent_name: unit.step, tool_name: tool };
  writer.write(unit.workflow, entry, 'agent_tool_start', data);
  writer.write(unit.workflow, entry, 'agent_tool_complete', {
    ...data,
    result: objectOf(value['output'])['value'] ?? null,
  });
}

/** How the unit of a step ended. */
export function writeUnitEnd(writer: EventWriter, entry: JournalEntry<'unit_ended'>): void {
  const workflow = writer.workflows.get(entry.scope);
  if (workflow === undefined) return;
  const key = entry.key ?? '';
  const scope = entry.scope === '' ? key : `${entry.scope}/${key}`;
  const unit = writer.units.get(scope);
  if (unit === undefined) return;
  const { termination } = entry.data;
  const verdict = outcome(termination as Ending);
  if (wasStopped(termination)) return;
  beginMember(writer, entry, unit);
  const isDone = verdict === 'succeeded' || verdict === 'skipped';
  const output = objectOf(entry.data.output);
  const child = writer.workflows.get(scope);
  if (child !== undefined)
    writeEnding(writer, entry, { workflow: child, termination, output: parsed(output['output']) });
  const error = isDone ? undefined : reportError(termination, unit.kind as StepType);
  const type = endEvent(unit, termination, isDone);
  if (type !== undefined) writer.write(workflow, entry, type, endData(unit, { output, error }));
  const member = memberOf(workflow, key);
  if (member !== undefined) {
    const problem = error === undefined ? undefined : { name: error.name, message: error.message };
    writeMemberEnd(writer, entry, { workflow, member, problem });
  }
}

/** Outputs of steps are kept as JSON text. */
function parsed(text: JsonValue | undefined): JsonValue | undefined {
  const read = typeof text === 'string' ? readJson(text) : undefined;
  return read === undefined ? text : valueToJson(read.value);
}

interface EndData {
  readonly output: JsonObject;
  readonly error: { readonly name: string; readonly message: string } | undefined;
}

function endData({ step, kind }: UnitScope, { output, error }: EndData): JsonObject {
  const given = parsed(output['output']);
  return {
    agent_name: step,
    ...(kind === 'human_gate' && isObject(given)
      ? { selected_option: given['selected'] ?? null, additional_input: given['additional_input'] ?? {} }
      : given !== undefined && { output: given }),
    ...(error !== undefined && { error_type: error.name, message: error.message }),
    ...(output['costUsd'] !== undefined && { cost_usd: output['costUsd'], tokens: output['tokens'] ?? null }),
    ...(output['to'] !== undefined && { route: output['to'] }),
  };
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

function wasStopped(termination: AnyTermination): boolean {
  return termination.kind === 'cancelled';
}
