import type { ToolOutput, ToolResultPart } from '../../models/message.js';
import type { ModelToolCall } from '../../models/model-response.js';
import { added } from '../../run/log.js';
import type { ObservedCall } from '../../stop/observation.js';
import { observeCall } from '../../stop/observe.js';
import type { Cause } from '../../stop/slots.js';
import type { ErrorData } from '../../termination/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { Mistake } from '../../termination/kinds/detector.js';
import { counted } from './draft.js';
import { afterRound, unasked } from './iteration.js';
import type { AgentRules } from './rules.js';
import type { Call, Draft, JournalledDirective, Judgement, ToolCallRecord, ToolOutcome } from './state.js';
import { causeOf, causesOf, endsHere, weigh } from './weigh.js';

/** Takes up the calls of an answer; those that cannot be made have their results at once. */
export function beginRound(draft: Draft, rules: AgentRules, calls: readonly ModelToolCall[]): void {
  draft.phase = 'tools';
  draft.round = calls.map((call) => beginCall(call, rules));
}

function beginCall({ id, tool, input, invalid }: ModelToolCall, rules: AgentRules): Call {
  const call: Call = { id, tool, input, stage: 'ready', outcome: null };
  const rule = rules.tools.get(tool);
  if (rule === undefined) {
    const known = [...rules.tools.keys()].join(', ') || 'none';
    return settled(
      call,
      mistaken('unknown_tool', `There is no tool named ${JSON.stringify(tool)}; there are: ${known}.`),
    );
  }
  if (rule.denied !== undefined) {
    return settled(call, mistaken('denied', `The tool ${tool} may not be called: ${rule.denied}.`));
  }
  if (invalid === undefined) return call;
  return settled(call, mistaken('bad_arguments', `The arguments are not valid JSON: ${invalid.slice(0, 500)}`));
}

/** A result that tells the model what was wrong with its call. */
export function mistaken(mistake: Mistake['problem'], message: string): ToolOutcome {
  const error: ErrorData = { name: 'ToolCallError', message, code: mistake.toUpperCase() };
  return { output: { type: 'error-text', value: message }, error, mistake };
}

export function settled(call: Call, outcome: ToolOutcome): Call {
  const { id, tool, input, requestId, edited } = call;
  // Spelled out for most calls, because a spread takes ten times as long.
  if (requestId === undefined && edited === undefined) return { id, tool, input, stage: 'done', outcome };
  return { ...call, stage: 'done', outcome };
}

/** Puts a call in the place of the one that it comes from, and ends the round with the last of them. */
export function putCall(draft: Draft, rules: AgentRules, index: number, call: Call): void {
  draft.round = draft.round.length === 1 ? [call] : draft.round.with(index, call);
  if (call.stage !== 'done') return;
  if (rules.goal === 'tool_call') draft.phase = 'judging_call';
  else finishIfDone(draft, rules);
}

/** Ends the round if all its calls have results. */
export function finishIfDone(draft: Draft, rules: AgentRules): void {
  for (const { stage } of draft.round) if (stage !== 'done') return;
  keepResults(draft);
  const calls = draft.round.map(observed);
  // A limit must not end the run in the place of a goal that this round has reached: so the goal is asked first.
  const isAsked = rules.goal === 'tool_rounds' || (rules.goal === 'iteration' && endsHere(draft, rules, { calls }));
  if (isAsked) draft.phase = 'judging_tools';
  else weighRound(draft, rules, { judgement: unasked, calls });
}

/** Takes in what the goal says after one call; when it is reached, the rest of the batch is skipped and told so. */
export function judgeCall(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  const stopped = draft.round.some(({ outcome }) => outcome?.directive !== undefined);
  if (judgement.goal !== true && judgement.error === undefined && !stopped) {
    draft.phase = 'tools';
    finishIfDone(draft, rules);
    return;
  }
  const why = 'This call was skipped: the run had come to its end with a call before it.';
  const error = { name: 'ToolCallSkipped', message: why, code: 'SKIPPED' };
  draft.round = draft.round.map((call) =>
    call.stage === 'done' ? call : settled(call, { output: { type: 'error-text', value: why }, error }),
  );
  keepResults(draft);
  finishRound(draft, rules, judgement);
}

/** The results of a round that are there, in the model's order. */
export function resultParts(round: readonly Call[]): readonly ToolResultPart[] {
  return round.flatMap(({ id, tool, outcome }) =>
    outcome === null ? [] : [{ type: 'tool-result', toolCallId: id, toolName: tool, output: outcome.output } as const],
  );
}

/** Puts the results of a round into the conversation, in the model's order. */
function keepResults(draft: Draft): void {
  const iteration = draft.counts.iterations + 1;
  for (const { id, tool, input, outcome } of draft.round) {
    const { output, error, child, input: used = input } = outcome as ToolOutcome;
    const record: ToolCallRecord = { id, iteration, tool, input: used, output };
    draft.toolCalls = added(draft.toolCalls, error === undefined ? record : { ...record, error });
    if (child !== undefined) draft.children = added(draft.children, child);
  }
  draft.counts = counted(draft.counts, { rounds: 1, toolCalls: draft.round.length });
  draft.roundsOfIteration += 1;
  draft.messages = added(draft.messages, { role: 'tool', content: draft.round.map(resultPart) });
}

function resultPart({ id, tool, outcome }: Call): ToolResultPart {
  return { type: 'tool-result', toolCallId: id, toolName: tool, output: (outcome as ToolOutcome).output };
}

/** Weighs the results of a round. */
export function finishRound(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  weighRound(draft, rules, { judgement, calls: draft.round.map(observed) });
}

interface FinishedRound {
  readonly judgement: Judgement;
  readonly calls: readonly ObservedCall[];
}

function weighRound(draft: Draft, rules: AgentRules, { judgement, calls }: FinishedRound): void {
  const directives = directivesOf(draft.round);
  const said = causesOf(judgement, rules.goal === 'iteration' ? 'iteration' : 'tool_call');
  if (directives.length === 0) weigh(draft, rules, 'after_tools', { calls, causes: said });
  else {
    // Of several the first in the model's order counts, whatever it is.
    const [first, ...others] = directives.map(causeOf);
    const lost = others.map(({ termination }) => termination);
    weigh(draft, rules, 'after_tools', { calls, causes: [first as Cause, ...said], lost });
  }
  if (judgement.error !== undefined) {
    draft.phase = 'judging_tools';
    return;
  }
  const [directive] = directives;
  if (directive?.type === 'submit' && directive.value !== undefined) {
    draft.output = directive.value;
    draft.hasOutput = true;
  }
  if (draft.ending === null) afterRound(draft, rules);
  else draft.phase = 'judging_iteration';
}

const none: readonly never[] = [];

/** What the tools of a round asked for, in the model's order. */
export function directivesOf(round: readonly Call[]): readonly JournalledDirective[] {
  for (const { outcome } of round) {
    if (outcome?.directive !== undefined) return round.flatMap((call) => call.outcome?.directive ?? []);
  }
  return none;
}

function observed({ tool, input, outcome }: Call): ObservedCall {
  const { output, error, mistake } = outcome as ToolOutcome;
  const call = { tool, input, result: resultOf(output) };
  if (error === undefined) return observeCall(call);
  return observeCall(mistake === undefined ? { ...call, error } : { ...call, error, mistake });
}

/** The result of a call as JSON. */
export function resultOf(output: ToolOutput): JsonValue {
  if (output.type === 'execution-denied') return output.reason ?? null;
  return output.value as JsonValue;
}
