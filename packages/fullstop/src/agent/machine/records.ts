import { addCharges } from '../../engines/port/add-charges.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { Charge } from '../../engines/port/usage.js';
import type { ModelResponse, ModelToolCall } from '../../models/model-response.js';
import { isWithin, makeScope, withoutMarks } from '../../run/journal/scope-path.js';
import { itemsOf } from '../../run/log.js';
import { withoutCutUnits } from '../../run/replay/without-cut-units.js';
import { isModelKey, makeCallUnit, parseCountedKey } from './agent-key.js';
import { callKey, isOutcome } from './call-key.js';
import type {
  AgentState,
  Call,
  ChildRecord,
  IterationRecord,
  ModelOutcome,
  ToolCallRecord,
  ToolOutcome,
} from './state.js';
import { cutOutcome } from './stopped-call.js';
import { unitOutcome } from './unit-outcome.js';

/** The iterations of a run; answers of the same iteration are one record. */
export function iterationRecords({ iterations }: AgentState): readonly IterationRecord[] {
  const answers = itemsOf(iterations);
  if (answers.every(({ iteration }, index) => index === 0 || iteration !== answers[index - 1]?.iteration))
    return answers;
  const merged: IterationRecord[] = [];
  for (const answer of answers) {
    const last = merged.at(-1);
    if (last?.iteration === answer.iteration) merged.splice(-1, 1, mergeRecords(last, answer));
    else merged.push(answer);
  }
  return merged;
}

function mergeRecords(one: IterationRecord, other: IterationRecord): IterationRecord {
  return {
    ...other,
    toolCalls: one.toolCalls + other.toolCalls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    attempts: one.attempts + other.attempts,
    answers: (one.answers ?? 1) + 1,
    ...(one.sources !== undefined && { sources: [...one.sources, ...(other.sources ?? [])] }),
    ...(one.files !== undefined && { files: [...one.files, ...(other.files ?? [])] }),
  };
}

/** True when the journal knows more of the calls than the state: results that are not among the records yet, or what was cut off. */
export function needsJournal(state: AgentState): boolean {
  return hasOpenRound(state) || itemsOf(state.children).some(isCutInside);
}

/** True for an agent that was stopped from outside, or has one inside: it could not report what it had used and who was inside it. */
function isCutInside({ usage, children = [] }: ChildRecord): boolean {
  return usage === undefined || children.some(isCutInside);
}

/** True when calls of the round at hand may have results that are not among the records yet. */
function hasOpenRound({ phase, round }: AgentState): boolean {
  return round.length > 0 && (phase === 'tools' || phase === 'judging_call');
}

/** The calls of a run with their results, and the endings of the agents inside it. */
export interface CallRecords {
  readonly toolCalls: readonly ToolCallRecord[];
  readonly children: readonly ChildRecord[];
}

/**
 * The outcomes of the calls of a run. One that ended in the middle of a round, as a cancelled or paused one may, has results
 * in its journal that the loop has not applied: they are results all the same. What a limit cut off is there with an error; of so many
 * calls at most it says that they were under way, and of the others that they never began.
 */
export function callRecords(state: AgentState, journal: readonly JournalEntry[], most: number): CallRecords {
  const toolCalls = itemsOf(state.toolCalls);
  const children = itemsOf(state.children).map((child) => completed(child, journal, ''));
  if (!hasOpenRound(state)) return { toolCalls, children };
  const iteration = state.counts.iterations + 1;
  const open = openCalls(state, journal, most);
  const records = open.map(({ call: { id, tool, input }, outcome }): ToolCallRecord => {
    const { output, error } = outcome;
    return { id, iteration, tool, input: outcome.input ?? input, output, ...(error !== undefined && { error }) };
  });
  return {
    toolCalls: [...toolCalls, ...records],
    children: [...children, ...open.flatMap(({ outcome: { child } }) => (child ? completed(child, journal, '') : []))],
  };
}

interface OpenCall {
  readonly call: Call;
  readonly outcome: ToolOutcome;
}

/** The calls of a round that is not over, as far as something is known of them. */
function openCalls(state: AgentState, journal: readonly JournalEntry[], most: number): readonly OpenCall[] {
  // Where the loop came to an ending by itself, nothing was under way.
  const isCut = state.ending === null && wasCutByLimit(journal);
  const found: OpenCall[] = [];
  let underWay = 0;
  for (const [index, call] of state.round.entries()) {
    const key = callKey(state, index, 'tool');
    const outcome = call.outcome ?? journalledOutcome(journal, call, [key, makeCallUnit(call)]);
    const isHere = outcome === undefined ? isMadeHere(call) : call.outcome === null && outcome.child !== undefined;
    if (outcome !== undefined) found.push({ call, outcome });
    else if (isCut && call.stage !== 'asking')
      found.push({ call, outcome: cutOutcome(call, isHere && underWay < most, hasStarted(journal, key)) });
    if (isHere) underWay += 1;
  }
  return found;
}

const limits: ReadonlySet<string> = new Set(['time_budget', 'token_budget', 'cost_budget', 'max_iterations']);

/** True when the latest segment ended at a limit, its own or that of whoever started it, whatever was under way then. */
function wasCutByLimit(journal: readonly JournalEntry[]): boolean {
  const ended = journal.findLast(({ type }) => type === 'segment_ended' || type === 'segment_opened');
  if (ended?.type !== 'segment_ended') return false;
  const { termination } = ended.data.envelope;
  const cause = termination.kind === 'cancelled' && termination.by === 'parent' ? termination.cause : termination;
  return cause !== undefined && limits.has(cause.kind);
}

/** True for a call that the run performs itself and that nobody has to be asked about any more. One that hands over comes last. */
function isMadeHere({ stage, handsOff }: Call): boolean {
  return handsOff !== true && (stage === 'ready' || stage === 'cleared' || stage === 'approved');
}

/** True for a step that may happen only once and has begun. */
function hasStarted(journal: readonly JournalEntry[], key: string): boolean {
  return journal.some((entry) => entry.type === 'step_started' && entry.scope === '' && entry.key === key);
}

/** The outcome of a call in the journal, since the model asked for it. */
function journalledOutcome(
  journal: readonly JournalEntry[],
  call: Call,
  keys: readonly string[],
): ToolOutcome | undefined {
  const settled = new Set(withoutCutUnits(journal));
  const segment = journal.at(-1)?.segment;
  // What was cut off with the latest segment has just that for an ending; a later segment continues it.
  const own = journal.filter((entry) => entry.scope === '' && (entry.segment === segment || settled.has(entry)));
  const asked = own.findLastIndex(({ type, key }) => type === 'step_ended' && isModelKey(key ?? ''));
  const entry = own.slice(asked + 1).findLast(({ type, key }) => ending.has(type) && keys.includes(key ?? ''));
  if (entry === undefined) return undefined;
  const outcome = outcomeOf(entry, call);
  if (entry.type !== 'unit_ended' || outcome?.child === undefined) return outcome;
  const since = journal.slice(journal.indexOf(own[asked] as JournalEntry) + 1);
  return { ...outcome, child: completed(outcome.child, since, '') };
}

/** The record of an agent, with what it and those inside it had used until they were stopped from outside, and who was inside. */
function completed(child: ChildRecord, journal: readonly JournalEntry[], parent: string): ChildRecord {
  if (!isCutInside(child)) return child;
  const unit = makeScope(parent, makeCallUnit({ tool: child.name, id: child.toolCallId }));
  if (child.usage !== undefined) {
    const inside = (child.children ?? []).map((each) => completed(each, journal, unit));
    return { ...child, children: inside };
  }
  const children = childrenInside(journal, unit);
  return { ...child, ...usageInside(journal, unit), ...(children.length > 0 && { children }) };
}

/** The agents inside one that could not report them, by the endings of its calls, in the order in which they first ended. */
function childrenInside(journal: readonly JournalEntry[], unit: string): readonly ChildRecord[] {
  const records = new Map<ModelToolCall, { readonly child: ChildRecord; readonly since: number }>();
  let asked: { readonly since: number; readonly calls: readonly ModelToolCall[] } | undefined;
  for (const [index, entry] of journal.entries()) {
    if (withoutMarks(entry.scope) !== unit) continue;
    const calls = answerOf(entry)?.response.toolCalls;
    if (calls !== undefined) asked = { since: index, calls };
    if (entry.type !== 'unit_ended' || asked === undefined) continue;
    const call = asked.calls.find((each) => makeCallUnit(each) === entry.key);
    // A later segment continues what an earlier one cut off, and has its ending.
    if (call !== undefined)
      records.set(call, { since: asked.since, child: unitOutcome(call, { also: [], ...entry.data }).child });
  }
  return [...records.values()].map(({ child, since }) => completed(child, journal.slice(since), unit));
}

/** The answer that an entry holds, with the number of the call of the model. */
export function answerOf(
  entry: JournalEntry,
): { readonly number: number; readonly response: ModelResponse } | undefined {
  if (entry.type !== 'step_ended' || !entry.data.ok) return undefined;
  const { word, number = 0 } = parseCountedKey(entry.key ?? '') ?? {};
  const { response } = (entry.data.value ?? {}) as Partial<ModelOutcome>;
  return word !== 'model' || response === undefined ? undefined : { number, response };
}

/** The usage of a unit that could not report it, because it was cut off: the sum over its entries. */
function usageInside(
  journal: readonly JournalEntry[],
  unit: string,
): Pick<ChildRecord, 'usage' | 'costUsd' | 'estimated'> {
  let total: Charge | undefined;
  for (const { type, scope, data } of journal) {
    if ((type !== 'step_ended' && type !== 'recorded') || !isWithin(withoutMarks(scope), unit)) continue;
    if (data.charge !== undefined) total = total === undefined ? data.charge : addCharges(total, data.charge);
  }
  if (total === undefined) return {};
  const { inputTokens = 0, outputTokens = 0, costUsd = null, estimated = false } = total;
  const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  return { usage, costUsd, ...(estimated && { estimated }) };
}

const ending: ReadonlySet<string> = new Set(['step_ended', 'unit_ended']);

function outcomeOf(entry: JournalEntry, call: Call): ToolOutcome | undefined {
  if (entry.type === 'step_ended') return entry.data.ok && isOutcome(entry.data.value) ? entry.data.value : undefined;
  if (entry.type !== 'unit_ended') return undefined;
  return unitOutcome(call, { also: [], ...entry.data });
}
