import { answerStatus, isBlank } from '../../models/answer-status.js';
import type { ModelResponse } from '../../models/model-response.js';
import { added } from '../../run/log.js';
import { observeText } from '../../stop/observe.js';
import { type Cause, isGoal } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { Mistake } from '../../termination/kinds/detector.js';
import { compactAfterOverflow } from './compact.js';
import { addCounts, addUsage } from './draft.js';
import { closeIteration, continueAfterRound, mustJudge, proceedToCall, unasked } from './iteration.js';
import { causesOfFailure, endingOfUnusable } from './model-failure.js';
import { raisedCap } from './output-cap.js';
import { enterPhase } from './phases.js';
import { beginRound, finishRoundIfDone, isRoundBegun, keepResults, skipRest } from './round.js';
import { type AgentRules, conditionsOf } from './rules.js';
import {
  type AgentState,
  continueText,
  type Draft,
  type IterationRecord,
  type Judgement,
  type ModelOutcome,
} from './state.js';
import { causeOf, causesOf, noFacts, nothing, type WeighedFacts, weigh, wouldReachGoal } from './weigh.js';

/** Applies the outcome of a model call: its usage, then its failure or its answer. */
export function applyModel(draft: Draft, rules: AgentRules, outcome: ModelOutcome): void {
  const { response, failure, charge, cut, injected } = outcome;
  draft.counts = addCounts(draft.counts, { modelCalls: 1 });
  if (injected !== undefined)
    for (const content of injected) draft.messages = added(draft.messages, { role: 'user', content });
  if (cut !== undefined) for (const each of cut) addUsage(draft, each);
  if (charge !== undefined) {
    addUsage(draft, charge);
    draft.promptTokens = charge.inputTokens ?? 0;
  }
  if (failure?.type === 'context_length' && compactAfterOverflow(draft, rules)) return;
  const causes = causesOfCall(draft, rules, outcome);
  // Without a sound answer the same call is made again when the run is resumed.
  if (response === undefined) {
    weigh(draft, rules, 'after_response', { ...noFacts, causes });
    return;
  }
  const unusable = endingOfUnusable(draft, rules, response, outcome);
  keepRecord(draft, response, outcome);
  if (unusable === undefined) applyAnswer(draft, rules, outcome, causes);
  else applyUnusable(draft, rules, unusable, causes);
}

/** The causes by which a call ends the run, whatever its answer: a hook, a failure, a budget around the agent. */
function causesOfCall(draft: Draft, rules: AgentRules, outcome: ModelOutcome): readonly Cause[] {
  const { failure, directive, attempts, cutBy } = outcome;
  const causes: Cause[] = directive === undefined ? [] : [causeOf(directive)];
  if (failure !== undefined) causes.push(...causesOfFailure(draft, failure, { attempts, agent: rules.name }));
  if (cutBy !== undefined) causes.push({ slot: 'budget', termination: cutBy });
  return causes;
}

/** An answer that thinking has starved is asked for once more with a higher cap, one that did not fit with less before it; any other unusable one ends the run. */
function applyUnusable(draft: Draft, rules: AgentRules, unusable: Ending, causes: readonly Cause[]): void {
  if (unusable.kind === 'prompt_too_long' && causes.length === 0 && compactAfterOverflow(draft, rules)) return;
  const raised = causes.length === 0 ? raisedCap(draft, rules, unusable) : undefined;
  if (raised === undefined) {
    const all: readonly Cause[] = [...causes, { slot: 'step_error', termination: unusable }];
    weigh(draft, rules, 'after_response', { ...noFacts, causes: all });
    return;
  }
  draft.outputCap = raised;
  draft.starved = unusable;
  proceedToCall(draft, rules, unasked);
}

function applyAnswer(draft: Draft, rules: AgentRules, outcome: ModelOutcome, causes: readonly Cause[]): void {
  const { content, toolCalls } = outcome.response as ModelResponse;
  const { prepared, directive } = outcome;
  if (content.length > 0) draft.messages = added(draft.messages, { role: 'assistant', content });
  if (outcome.said !== undefined) draft.unsaid = [...draft.unsaid, outcome.said];
  const { status } = draft;
  if (status === 'calls') {
    draft.silences = 0;
    const isStopped = directive?.type === 'halt' || directive?.type === 'fail';
    beginRound(draft, rules, toolCalls, { offered: prepared?.tools, isStopped });
    if (isStopped && !isRoundBegun(draft, rules)) {
      stopAnswer(draft, rules, causes);
      return;
    }
  } else if (status === 'paused') {
    // A provider that pauses its turn gets the conversation back. That is a round like one with calls, and limited like one.
    draft.counts = addCounts(draft.counts, { rounds: 1 });
    draft.roundsOfIteration += 1;
  } else {
    draft.silences = isSilence(draft) ? draft.silences + 1 : 0;
    keepOutput(draft, outcome);
  }
  if (isJudged(draft, rules, causes)) {
    draft.finished = directive ?? null;
    enterPhase(draft, 'judging_answer');
  } else if (isUnfinished(draft)) continueAnswer(draft, rules, unasked, causes);
  else finishFinal(draft, rules, unasked, causes);
}

/** True for an answer after which the iteration continues. */
export function isUnfinished({ status }: AgentState): boolean {
  return status === 'calls' || status === 'paused';
}

/** True when the user's code has a say about an answer. A goal that is reached with it may be forbidden, whoever has reached it. */
function isJudged(draft: Draft, rules: AgentRules, causes: readonly Cause[]): boolean {
  const isFinal = !isUnfinished(draft);
  if (isFinal && causes.length === 0) return mustJudge(draft, rules, true);
  if (!conditionsOf(rules, draft).hasCustom || !causes.every(isGoal)) return false;
  // A point that the journal has without a question stands: earlier versions asked nobody there.
  if (rules.past?.observed(draft.observations.length) !== undefined) return false;
  return isFinal || wouldReachGoal(draft, rules, 'after_response', textFacts(draft, rules, unasked, causes));
}

/** Ends the run with an answer whose calls are not made: as after a call that halts, no resume makes them either. */
function stopAnswer(draft: Draft, rules: AgentRules, causes: readonly Cause[]): void {
  skipRest(draft, 'This call was not made: a hook stopped the run with the answer that asked for it.');
  weigh(draft, rules, 'after_response', textFacts(draft, rules, unasked, causes));
  keepResults(draft);
  if (draft.ending === null) continueAfterRound(draft, rules);
  else enterPhase(draft, 'judging_iteration');
}

function textFacts(draft: Draft, rules: AgentRules, judgement: Judgement, causes: readonly Cause[]): WeighedFacts {
  return {
    causes,
    lost: nothing,
    text: observeText(draft.text, conditionsOf(rules, draft).list),
    calls: undefined,
    mistake: undefined,
    iterationTokens: undefined,
    finalization: undefined,
    verdicts: judgement.verdicts,
    forbidding: judgement.forbidding,
  };
}

/** Weighs an answer after which the iteration is not over, and continues with its calls or its turn. */
function continueAnswer(draft: Draft, rules: AgentRules, judgement: Judgement, causes: readonly Cause[]): void {
  weigh(draft, rules, 'after_response', textFacts(draft, rules, judgement, causes));
  // The user's code that failed is asked again when the run is resumed: the phase stays.
  if (judgement.error !== undefined) return;
  const hasCalls = draft.status === 'calls';
  enterPhase(draft, hasCalls ? 'tools' : 'model');
  if (draft.ending !== null) return;
  if (hasCalls) finishRoundIfDone(draft, rules);
  else continueAfterRound(draft, rules);
}

/** An answer that is none. One that announces calls counts as such once; its text stands when it does so again. */
function isSilence({ status, silences, text }: AgentState): boolean {
  if (status === 'empty') return true;
  return status === 'calls_missing' && (silences === 0 || isBlank({ text }));
}

function keepRecord(draft: Draft, response: ModelResponse, outcome: ModelOutcome): void {
  const { attempts, charge, prepared, repaired } = outcome;
  const { text, finish, rawFinish = '', toolCalls, modelId, sources } = response;
  // Completed in place: a copy of every record would have a shape of its own in a young process.
  const record: { -readonly [K in keyof IterationRecord]: IterationRecord[K] } = {
    iteration: draft.counts.iterations + 1,
    text,
    finish,
    toolCalls: toolCalls.length,
    inputTokens: charge?.inputTokens ?? 0,
    outputTokens: charge?.outputTokens ?? 0,
    attempts,
  };
  if (modelId !== undefined) record.modelId = modelId;
  if (sources !== undefined) record.sources = sources;
  const files = response.content.filter((part) => part.type === 'file');
  if (files.length > 0) record.files = files;
  if (prepared !== undefined) record.prepared = prepared;
  if (repaired !== undefined) record.repaired = repaired;
  draft.iterations = added(draft.iterations, record);
  draft.text = text;
  draft.withheld = false;
  draft.finish = finish;
  draft.rawFinish = rawFinish;
  draft.status = answerStatus(response);
}

function keepOutput(draft: Draft, { output }: ModelOutcome): void {
  draft.counts = addCounts(draft.counts, { rounds: 1 });
  const isChecked = output !== undefined && draft.silences === 0;
  draft.violations = !isChecked || output.ok ? [] : output.violations;
  if (!isChecked || !output.ok) return;
  // Nothing, which is no JSON, is no output; a journal has no value there.
  draft.output = output.value ?? null;
  draft.hasOutput = output.value !== undefined;
}

/** Weighs an answer together with what the user's code says about it. */
export function finishAnswer(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  const own = draft.finished === null ? nothing : [causeOf(draft.finished)];
  if (isUnfinished(draft)) continueAnswer(draft, rules, judgement, [...own, ...causesOf(judgement, 'iteration')]);
  else finishFinal(draft, rules, judgement, own);
  if (judgement.error === undefined) draft.finished = null;
}

/** Weighs an answer that asks for no tool. */
function finishFinal(draft: Draft, rules: AgentRules, judgement: Judgement, own: readonly Cause[]): void {
  const isInvalid = draft.violations.length > 0;
  const mistake = silenceOf(draft);
  const causes = [...own, ...causesOf(judgement, 'iteration'), ...causesOfAnswer(draft, rules)];
  weigh(draft, rules, 'after_response', {
    causes,
    lost: nothing,
    text: observeText(draft.text, conditionsOf(rules, draft).list),
    calls: [],
    mistake,
    iterationTokens: undefined,
    finalization: draft.wrapUp === null ? undefined : { answered: !isInvalid && hasAnswered(draft) },
    verdicts: judgement.verdicts,
    forbidding: judgement.forbidding,
  });
  // The user's code that failed is asked again when the run is resumed: the phase stays.
  if (judgement.error !== undefined) return;
  if (isInvalid) askForRepair(draft);
  else if (mistake !== undefined) draft.unsaid = [...draft.unsaid, mistake.message];
  else if (draft.unsaid.length === 0 && rules.freshPrompt === undefined) draft.unsaid = [continueText];
  if (draft.ending === null) {
    // The other causes were weighed with the answer; only the text for the model is left.
    closeIteration(draft, rules, judgement.injected === undefined ? unasked : { injected: judgement.injected });
    return;
  }
  enterPhase(draft, 'opening');
  draft.counts = addCounts(draft.counts, { iterations: 1 });
}

function hasAnswered({ status, text }: AgentState): boolean {
  return status === 'final' || !isBlank({ text });
}

/** The causes in an answer that asks for no tool: it is the final one, or there were too many that cannot be. */
function causesOfAnswer(draft: Draft, rules: AgentRules): readonly Cause[] {
  const { violations, silences, wrapUp, status, finish, rawFinish } = draft;
  if (violations.length > 0) {
    const exhausted = endingOfExhaustedRepair(draft, rules);
    return exhausted === undefined ? [] : [{ slot: 'step_error', termination: exhausted }];
  }
  // The last iteration ends the run with what there is.
  if (wrapUp !== null || status === 'truncated') return [];
  const reason = finish === 'stop' ? undefined : rawFinish || finish;
  const evidence = reason !== undefined && { finishReason: reason };
  if (silences === 0) return [{ slot: 'goal', termination: { kind: 'natural_end', ...evidence } as Ending }];
  if (silences < mostSilences) return [];
  return [{ slot: 'step_error', termination: { kind: 'no_answer', attempts: silences, ...evidence } as Ending }];
}

/** The model is told once that its answer was none. */
const mostSilences = 2;

/** The mistake in an answer that is none, in the words in which the model is told. */
function silenceOf({ silences, status }: AgentState): Mistake | undefined {
  if (silences === 0) return undefined;
  return status === 'calls_missing'
    ? { problem: 'missing_calls', message: missingCallsText }
    : { problem: 'no_answer', message: noAnswerText };
}

/** Both are in docs/agents.md, like every text that the loop adds to a conversation. */
const noAnswerText = 'Your last answer was empty. Answer with a text, or call a tool.';
const missingCallsText =
  'Your last answer announced tool calls but contained none. Make the calls, or answer with a text.';

function askForRepair(draft: Draft): void {
  const list = draft.violations
    .map(({ path, message }) => `- ${path === '' ? 'the value' : path}: ${message}`)
    .join('\n');
  const text = `The answer does not fit the schema:\n${list}\nAnswer again with a corrected value, as JSON and nothing else.`;
  draft.unsaid = [...draft.unsaid, text];
  draft.repairs += 1;
}

function endingOfExhaustedRepair(state: AgentState, rules: AgentRules): Ending | undefined {
  const { violations, repairs, text } = state;
  const { repair } = conditionsOf(rules, state);
  if (repair === false) return { kind: 'schema_validation', violations, received: parseOrText(text) } as Ending;
  if (repairs < (repair ?? 0)) return undefined;
  return { kind: 'structured_output_exhausted', attempts: repairs + 1, violations } as Ending;
}

function parseOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
