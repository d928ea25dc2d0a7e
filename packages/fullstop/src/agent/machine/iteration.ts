import type { ModelMessage } from '../../models/message.js';
import { added, itemsOf, logOf } from '../../run/log.js';
import { budgetPressureOf } from '../../stop/evaluate.js';
import { addCounts } from './draft.js';
import { enterPhase } from './phases.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState, Draft, Judgement } from './state.js';
import { causesOf, noFacts, nothing, type WeighedFacts, weigh } from './weigh.js';

/** The judgement where nobody has to be asked. */
export const unasked: Judgement = {};

/** Applies what the hook says about the prompt of the run, and begins. */
export function applyPrompt(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  if (judgement.prompt !== undefined) draft.messages = logOf(withPrompt(itemsOf(draft.messages), judgement.prompt));
  if (judgement.injected !== undefined) draft.unsaid = [judgement.injected];
  const causes = causesOf(judgement, 'iteration');
  enterPhase(draft, 'opening');
  if (causes.length > 0) weigh(draft, rules, 'before_call', { ...noFacts, causes });
  else openIteration(draft, rules);
}

/** The conversation with another text in the user's latest message. */
function withPrompt(messages: readonly ModelMessage[], content: string): readonly ModelMessage[] {
  const index = messages.findLastIndex(({ role }) => role === 'user');
  return index === -1 ? [...messages, { role: 'user', content }] : messages.with(index, { role: 'user', content });
}

/** Begins an iteration: with the user's code, if that has a say, else with the call of the model. */
export function openIteration(draft: Draft, rules: AgentRules, isWeighed = false): void {
  const { activeMs, lastAt } = draft.time;
  draft.time = { activeMs, lastAt, iterationMs: activeMs, iterationTokens: draft.usage.totalTokens };
  enterPhase(draft, 'opening');
  draft.round = [];
  draft.roundsOfIteration = 0;
  draft.starved = null;
  if (!rules.hooks.beforeIteration && rules.freshPrompt === undefined) proceedToCall(draft, rules, unasked, isWeighed);
}

/** Before the first call of an iteration: applies what the hook says, and the iteration's own prompt if it has one. */
export function beginIteration(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  const { prompt } = judgement;
  if (prompt !== undefined) {
    const instructions = rules.freshPrompt?.instructions;
    const system = instructions === undefined ? [] : [{ role: 'system', content: instructions } as const];
    draft.messages = logOf<ModelMessage>([...system, { role: 'user', content: prompt }]);
  }
  if (judgement.error === undefined) {
    proceedToCall(draft, rules, judgement);
    return;
  }
  // A prompt that could not be written is asked for again when the run is resumed: the phase stays.
  addUnsaid(draft, judgement);
  weigh(draft, rules, 'before_call', { ...noFacts, causes: causesOf(judgement, 'iteration') });
}

/**
 * The model is next: says to it what is unsaid, weighs whether to call it at all, and asks it to wrap up when a budget is
 * nearly used up. Right after another point nothing can have changed, so there is nothing to weigh again.
 */
export function proceedToCall(draft: Draft, rules: AgentRules, judgement: Judgement, isWeighed = false): void {
  addUnsaid(draft, judgement);
  if (!isWeighed) weigh(draft, rules, 'before_call', { ...noFacts, causes: causesOf(judgement, 'iteration') });
  enterPhase(draft, draft.promptTokens >= (rules.compactAt ?? Number.POSITIVE_INFINITY) ? 'compacting' : 'model');
  if (draft.ending !== null || draft.wrapUp !== null) return;
  const pressure = budgetPressureOf(conditionsOf(rules, draft).list, draft.conditions);
  if (pressure === undefined) return;
  draft.wrapUp = pressure;
  draft.messages = added(draft.messages, { role: 'user', content: rules.wrapUp });
}

/** Adds to the conversation what the loop and the user's code have to say to the model. */
function addUnsaid(draft: Draft, { injected }: Judgement): void {
  for (const content of draft.unsaid) draft.messages = added(draft.messages, { role: 'user', content });
  if (draft.unsaid.length > 0) draft.unsaid = [];
  if (injected !== undefined) draft.messages = added(draft.messages, { role: 'user', content: injected });
}

/** True when the user's code has a say at the end of an iteration. */
export function mustJudge(state: AgentState, rules: AgentRules, asksGoal: boolean): boolean {
  return (asksGoal && rules.goal !== undefined) || rules.hooks.afterIteration || conditionsOf(rules, state).hasCustom;
}

/** After a round: another one with its results, where the iteration may have more, or the end of the iteration. */
export function continueAfterRound(draft: Draft, rules: AgentRules): void {
  const hasMore = draft.roundsOfIteration < rules.roundsPerIteration && draft.wrapUp === null;
  if (hasMore) proceedToCall(draft, rules, unasked, true);
  else if (mustJudge(draft, rules, rules.goal === 'iteration')) enterPhase(draft, 'judging_iteration');
  else closeIteration(draft, rules, unasked);
}

/** Weighs a whole iteration, and begins the next one. */
export function closeIteration(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  const before = draft.counts;
  draft.counts = addCounts(before, { iterations: 1 });
  if (judgement.injected !== undefined) draft.unsaid = [...draft.unsaid, judgement.injected];
  const iterationTokens = draft.usage.totalTokens - draft.time.iterationTokens;
  const facts: WeighedFacts = {
    causes: causesOf(judgement, 'iteration'),
    lost: nothing,
    text: undefined,
    calls: undefined,
    mistake: undefined,
    iterationTokens,
    finalization: draft.wrapUp === null ? undefined : { answered: false },
    verdicts: judgement.verdicts,
    forbidding: judgement.forbidding,
  };
  weigh(draft, rules, 'after_iteration', facts);
  // The user's code that failed is asked again when the run is resumed: the phase stays.
  if (judgement.error !== undefined) draft.counts = before;
  else if (draft.ending !== null) enterPhase(draft, 'opening');
  else openIteration(draft, rules, true);
}
