import type { ToolOutput, ToolResultPart } from '../../models/message.js';
import type { ModelToolCall } from '../../models/model-response.js';
import { added } from '../../run/log.js';
import type { ObservedCall } from '../../stop/observation.js';
import { observeCall } from '../../stop/observe.js';
import type { Cause } from '../../stop/slots.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { Mistake } from '../../termination/kinds/detector.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { makeCallUnit } from './agent-key.js';
import { callKey, isOutcome } from './call-key.js';
import { addCounts } from './draft.js';
import { continueAfterRound, unasked } from './iteration.js';
import { enterPhase } from './phases.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState, Call, Draft, JournalledDirective, Judgement, ToolCallRecord, ToolOutcome } from './state.js';
import { haltedOutcome, skippedOutcome } from './stopped-call.js';
import { causeOf, causesOf, noFacts, nothing, weigh, wouldEndAfterTools, wouldReachGoal } from './weigh.js';

/** The terms of a round. */
interface RoundTerms {
  /** The tools that the model was offered, where not all of them. */
  readonly offered: readonly string[] | undefined;
  /** True when a hook stopped the run with the answer. */
  readonly isStopped?: boolean;
}

/** Begins a round with the calls of an answer; those that cannot be made have their results at once. */
export function beginRound(
  draft: Draft,
  rules: AgentRules,
  calls: readonly ModelToolCall[],
  { offered, isStopped = false }: RoundTerms,
): void {
  enterPhase(draft, 'tools');
  const { toolCalls: most } = conditionsOf(rules, draft).limits;
  const room = most === undefined ? calls.length : most - draft.counts.toolCalls;
  draft.round = calls.map((call, index) =>
    index < room ? beginCall(call, rules, offered) : leaveCall(call, most ?? room),
  );
  followJournal(draft, rules, calls, isStopped);
  if (rules.handsOff) leaveOtherHandOffs(draft);
}

/** Calls that the journal has were made, and those of a round without any were not: tools and permissions may have changed since then. */
function followJournal(
  draft: Draft,
  { past, tools }: AgentRules,
  calls: readonly ModelToolCall[],
  isStopped: boolean,
): void {
  if (past === undefined || past.isOver()) return;
  const { keys, isOver } = past.keysBeforeModel(draft.counts.modelCalls);
  if (keys.size === 0 && !isOver) return;
  const made = draft.round.map((call, index) => wasBegun(keys, draft, index, call));
  if (made.includes(true)) {
    draft.round = draft.round.map((call, index) => {
      if (made[index] !== true || call.stage !== 'done') return call;
      const { id, tool, input } = calls[index] as ModelToolCall;
      const again: Call = { id, tool, input, stage: 'ready', outcome: null };
      return tools.get(tool)?.handsOff === true ? { ...again, handsOff: true } : again;
    });
  } else if (isOver && !isStopped) {
    draft.round = draft.round.map((call) =>
      call.stage === 'done' ? call : finishCall(call, mistakeOutcome('unknown_tool', unknownToolText(call.tool, []))),
    );
  }
}

/** True when the journal has the calls of the round at hand under way, as earlier versions made them where this one would not. */
export function isRoundBegun(draft: Draft, { past }: AgentRules): boolean {
  if (past === undefined || past.isOver()) return false;
  const { keys } = past.keysBeforeModel(draft.counts.modelCalls);
  return draft.round.some((call, index) => wasBegun(keys, draft, index, call));
}

/** True when the journal has an effect of a call. */
function wasBegun(keys: ReadonlySet<string>, state: Draft, index: number, call: Call): boolean {
  return (
    keys.has(callKey(state, index, 'tool')) || keys.has(callKey(state, index, 'check')) || keys.has(makeCallUnit(call))
  );
}

/** Only one can take over: of several the first. */
function leaveOtherHandOffs(draft: Draft): void {
  const first = draft.round.find(({ handsOff, stage }) => handsOff === true && stage !== 'done');
  if (first === undefined) return;
  const skipped = skippedOutcome(`This call was not made: the conversation was handed over with ${first.tool}.`);
  draft.round = draft.round.map((call) =>
    call.handsOff === true && call !== first && call.stage !== 'done' ? finishCall(call, skipped) : call,
  );
}

/** A call beyond the limit: the model reads that it was not made. */
function leaveCall({ id, tool, input }: ModelToolCall, most: number): Call {
  const message = `This call was not made: the run may make ${most} tool calls in all.`;
  const error: ErrorData = { name: 'ToolCallNotMade', message, code: 'NOT_MADE' };
  return finishCall(
    { id, tool, input, stage: 'ready', outcome: null },
    { output: { type: 'error-text', value: message }, error },
  );
}

/** True for a call that has a result of its own. */
function wasMade({ outcome }: Call): boolean {
  return outcome?.error?.code !== 'NOT_MADE';
}

/** The call, with its result where it cannot be made. One of a tool that the model was not offered is one of none. */
function beginCall(
  { id, tool, input, invalid }: ModelToolCall,
  rules: AgentRules,
  offered: readonly string[] | undefined,
): Call {
  const call: Call = { id, tool, input, stage: 'ready', outcome: null };
  const rule = rules.tools.get(tool);
  if (rule === undefined || offered?.includes(tool) === false)
    return finishCall(call, mistakeOutcome('unknown_tool', unknownToolText(tool, offered ?? [...rules.tools.keys()])));
  if (rule.denied !== undefined) {
    return finishCall(call, mistakeOutcome('denied', deniedText(tool, rule.denied)));
  }
  if (invalid === undefined) return rule.handsOff ? { ...call, handsOff: true } : call;
  return finishCall(call, mistakeOutcome('bad_arguments', notJsonText(invalid)));
}

export function unknownToolText(tool: string, known: readonly string[]): string {
  return `There is no tool named ${JSON.stringify(tool)}; there are: ${known.join(', ') || 'none'}.`;
}

export function deniedText(tool: string, reason: string): string {
  return `The tool ${tool} may not be called: ${reason}.`;
}

export function notJsonText(text: string): string {
  return `The arguments are not valid JSON: ${text.slice(0, 500)}`;
}

const mistakeCodes: Readonly<Record<Mistake['problem'], string>> = {
  unknown_tool: 'UNKNOWN_TOOL',
  bad_arguments: 'BAD_ARGUMENTS',
  tool_error: 'TOOL_ERROR',
  denied: 'DENIED',
  missing_calls: 'MISSING_CALLS',
  no_answer: 'NO_ANSWER',
};

/** A result that says to the model what was wrong with its call. */
export function mistakeOutcome(mistake: Mistake['problem'], message: string): ToolOutcome {
  const error: ErrorData = { name: 'ToolCallError', message, code: mistakeCodes[mistake] };
  return { output: { type: 'error-text', value: message }, error, mistake };
}

/** The call with its outcome. */
export function finishCall(call: Call, outcome: ToolOutcome): Call {
  const { id, tool, input, requestId, edited } = call;
  // Spelled out for most calls, because a spread takes ten times as long.
  if (requestId === undefined && edited === undefined) return { id, tool, input, stage: 'done', outcome };
  return { ...call, stage: 'done', outcome };
}

/** Ends the round if all its calls have results: they join the conversation and are weighed. */
export function finishRoundIfDone(draft: Draft, rules: AgentRules): void {
  for (const { stage } of draft.round) if (stage !== 'done') return;
  keepResults(draft);
  const calls = observeResults(draft, rules);
  // A limit must not end the run instead of a goal that this round has reached: so the goal is asked first.
  const isAsked =
    rules.goal === 'tool_rounds' ||
    (rules.goal === 'iteration' && wouldEndAfterTools(draft, rules, { ...noFacts, calls })) ||
    reachesGoal(draft, rules);
  if (isAsked) enterPhase(draft, 'judging_tools');
  else weighRound(draft, rules, { judgement: unasked, calls });
}

/** True when a finished round is about to end the run with a goal that custom conditions may forbid. */
export function reachesGoal(state: AgentState, rules: AgentRules): boolean {
  if (!conditionsOf(rules, state).hasCustom) return false;
  const directives = directivesOf(state.round);
  // After a call that ends the run the rest of its round is skipped, so that the round is over with it.
  const isCut = state.phase === 'judging_call' && directives.length > 0;
  const round = isCut ? skippedRound(state.round, skippedAtEnd) : state.round;
  if (round.some(({ outcome }) => outcome === null)) return false;
  const causes = directives.slice(0, 1).map(causeOf);
  return wouldReachGoal(state, rules, 'after_tools', {
    ...noFacts,
    calls: observeResults({ ...state, round }, rules),
    causes,
  });
}

const skippedAtEnd = 'This call was skipped: the run had come to its end with a call before it.';

/** Applies what the goal says after one call; when it is reached, the rest of the round is skipped. */
export function applyCallJudgement(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  const isEnded = draft.round.some(({ outcome }) => outcome?.directive !== undefined);
  if (judgement.goal !== true && judgement.error === undefined && !isEnded && draft.limit === null) {
    enterPhase(draft, 'tools');
    finishRoundIfDone(draft, rules);
    return;
  }
  skipRest(draft, skippedAtEnd);
  keepResults(draft);
  finishRound(draft, rules, judgement);
}

/** Ends a round that one of its calls, or a limit, has stopped: those that have not begun are not made, and nobody is asked about them any more. */
export function stopRound(draft: Draft, rules: AgentRules): void {
  const isLimit = draft.limit !== null;
  draft.round = draft.round.map((call) =>
    call.stage === 'done' ? call : finishCall(call, haltedOutcome(call, isLimit)),
  );
  finishRoundIfDone(draft, rules);
}

export function skipRest(draft: Draft, message: string): void {
  draft.round = skippedRound(draft.round, message);
}

function skippedRound(round: readonly Call[], message: string): readonly Call[] {
  const skipped = skippedOutcome(message);
  return round.map((call) => (call.stage === 'done' ? call : finishCall(call, skipped)));
}

/** True when a call of the round has stopped the run at once. */
export function isStopped(round: readonly Call[]): boolean {
  for (const { outcome } of round) if (outcome?.directive !== undefined && isStop(outcome.directive)) return true;
  return false;
}

/** The ending in the outcome of a call that stops the run at once. */
export function stopOf(value: JsonValue | undefined): AnyTermination | undefined {
  if (!isOutcome(value) || !isStopOutcome(value)) return undefined;
  return causeOf(value.directive).termination as AnyTermination;
}

export function isStopOutcome(
  outcome: ToolOutcome,
): outcome is ToolOutcome & { readonly directive: JournalledDirective } {
  return outcome.directive !== undefined && isStop(outcome.directive);
}

/** The results of a round that are there, in the model's order. */
export function resultParts(round: readonly Call[]): readonly ToolResultPart[] {
  const parts: ToolResultPart[] = [];
  for (const { id, tool, outcome } of round) {
    if (outcome !== null) parts.push({ type: 'tool-result', toolCallId: id, toolName: tool, output: outcome.output });
  }
  return parts;
}

/** Puts the results of a round into the records and the conversation, in the model's order. */
export function keepResults(draft: Draft): void {
  const iteration = draft.counts.iterations + 1;
  for (const { id, tool, input, outcome } of draft.round) {
    const { output, error, child, input: used = input } = outcome as ToolOutcome;
    const record: ToolCallRecord = { id, iteration, tool, input: used, output };
    draft.toolCalls = added(draft.toolCalls, error === undefined ? record : { ...record, error });
    if (child !== undefined) draft.children = added(draft.children, child);
  }
  let toolCalls = 0;
  for (const call of draft.round) if (wasMade(call)) toolCalls += 1;
  draft.counts = addCounts(draft.counts, { rounds: 1, toolCalls });
  draft.roundsOfIteration += 1;
  draft.messages = added(draft.messages, { role: 'tool', content: resultParts(draft.round) });
}

/** Weighs the results of a round together with what the goal says about them. */
export function finishRound(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  weighRound(draft, rules, { judgement, calls: observeResults(draft, rules) });
}

interface FinishedRound {
  readonly judgement: Judgement;
  readonly calls: readonly ObservedCall[];
}

function weighRound(draft: Draft, rules: AgentRules, { judgement, calls }: FinishedRound): void {
  const { forbidding } = judgement;
  const judged = causesOf(judgement, rules.goal ?? 'tool_call');
  const directives = directivesOf(draft.round);
  // Of several the first one counts.
  const ordered: readonly Cause[] = directives.length === 0 ? nothing : directives.map(causeOf);
  const { limit } = draft;
  const own: readonly Cause[] = limit === null ? judged : [...judged, { slot: 'budget', termination: limit }];
  weigh(draft, rules, 'after_tools', {
    causes: ordered.length === 0 ? own : [...ordered.slice(0, 1), ...own],
    lost: ordered.length < 2 ? nothing : ordered.slice(1).map(({ termination }) => termination),
    text: undefined,
    calls,
    mistake: undefined,
    iterationTokens: undefined,
    finalization: undefined,
    verdicts: judgement.verdicts,
    forbidding,
  });
  // A condition may say the same about the limit once more.
  if (limit !== null) draft.also = draft.also.filter((each) => each === limit || each.kind !== limit.kind);
  if (judgement.error !== undefined) {
    enterPhase(draft, 'judging_tools');
    return;
  }
  const [directive] = directives;
  if (directive?.type === 'submit' && directive.value !== undefined && forbidding === undefined) {
    draft.output = directive.value;
    draft.hasOutput = true;
  }
  if (draft.ending === null) continueAfterRound(draft, rules);
  else enterPhase(draft, 'judging_iteration');
}

const noDirectives: readonly never[] = [];

/** The directives of the tools of a round: hooks that threw first, then halts, then the others, each in the model's order. */
export function directivesOf(round: readonly Call[]): readonly JournalledDirective[] {
  for (const { outcome } of round) {
    if (outcome?.directive === undefined) continue;
    const all = round.flatMap((call) => call.outcome?.directive ?? []);
    return all.length === 1 ? all : all.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
  return noDirectives;
}

/** The place of a directive among those of its round, as the slots of their endings have it. */
function rankOf(directive: JournalledDirective): number {
  if (!isStop(directive)) return 2;
  return directive.type === 'fail' ? 0 : 1;
}

/** True for a directive after which nothing of the same answer begins any more. */
function isStop(directive: JournalledDirective): boolean {
  return directive.type === 'halt' || (directive.type === 'fail' && directive.stops === true);
}

/** The finished calls of a round as the conditions see them. */
export function observeResults(state: AgentState, rules: AgentRules): readonly ObservedCall[] {
  const { showsResults } = conditionsOf(rules, state);
  return state.round.map(({ tool, input, outcome }) => {
    const { output, error, mistake } = outcome as ToolOutcome;
    const call = { tool, input, result: resultOf(output) };
    if (error === undefined) return observeCall(call, showsResults);
    return observeCall(mistake === undefined ? { ...call, error } : { ...call, error, mistake }, showsResults);
  });
}

/** The result of a call as JSON. */
export function resultOf(output: ToolOutput): JsonValue {
  if (output.type === 'execution-denied') return output.reason ?? null;
  return output.value as JsonValue;
}
