import type { ModelMessage } from '../../models/message.js';
import { added, itemsOf, logOf } from '../../run/log.js';
import { budgetPressureOf } from '../../stop/evaluate.js';
import type { Ending } from '../../termination/ending.js';
import { counted } from './draft.js';
import { type AgentRules, conditionsOf, hasCustomConditions } from './rules.js';
import type { AgentState, Draft, Judgement } from './state.js';
import { causesOf, type Weighed, weigh } from './weigh.js';

/** Nothing was asked, so nothing was said. */
export const unasked: Judgement = {};

/** Begins the next iteration. */
export function openIteration(draft: Draft, rules: AgentRules): void {
  resetIteration(draft);
  if (!asksBefore(rules)) beforeCall(draft, rules, unasked);
}

function asksBefore({ hooks, freshPrompt }: AgentRules): boolean {
  return hooks.beforeIteration || freshPrompt !== undefined;
}

function resetIteration(draft: Draft): void {
  const { activeMs, lastAt } = draft.time;
  draft.time = { activeMs, lastAt, iterationMs: activeMs, iterationTokens: draft.usage.totalTokens };
  draft.phase = 'opening';
  draft.round = [];
  draft.roundsOfIteration = 0;
  draft.starved = null;
}

/** Takes in what the hook says about the prompt of the run, and begins. */
export function takePrompt(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  if (judgement.prompt !== undefined) draft.messages = logOf(withPrompt(itemsOf(draft.messages), judgement.prompt));
  if (judgement.injected !== undefined) draft.untold = [judgement.injected];
  const causes = causesOf(judgement, 'iteration');
  draft.phase = 'opening';
  if (causes.length > 0) weigh(draft, rules, 'before_call', { causes });
  else openIteration(draft, rules);
}

/** The conversation with another text in the latest message of the user's. */
function withPrompt(messages: readonly ModelMessage[], content: string): readonly ModelMessage[] {
  const index = messages.findLastIndex(({ role }) => role === 'user');
  return index === -1 ? [...messages, { role: 'user', content }] : messages.with(index, { role: 'user', content });
}

/** In front of the first call of an iteration: with a prompt of its own, if there is one. */
export function beginIteration(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  const { prompt } = judgement;
  if (prompt !== undefined) {
    const instructions = rules.freshPrompt?.instructions;
    const system = instructions === undefined ? [] : [{ role: 'system', content: instructions } as const];
    draft.messages = logOf<ModelMessage>([...system, { role: 'user', content: prompt }]);
  }
  beforeCall(draft, rules, judgement);
  // A prompt that could not be written has to be asked for again when the run is resumed.
  if (judgement.error !== undefined) draft.phase = 'opening';
}

/** Weighs whether to call the model at all, and tells it what it has to know first. */
export function beforeCall(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  tell(draft, judgement);
  weigh(draft, rules, 'before_call', { causes: causesOf(judgement, 'iteration') });
  toCall(draft, rules);
}

/** The model is next. Right behind another point nothing can have changed since, and there is nothing to weigh again. */
function toCall(draft: Draft, rules: AgentRules): void {
  draft.phase = draft.promptTokens >= (rules.compactAt ?? Number.POSITIVE_INFINITY) ? 'compacting' : 'model';
  if (draft.ending !== null || draft.wrapUp !== null) return;
  const pressure = budgetPressureOf(conditionsOf(rules, draft), draft.conditions);
  if (pressure === undefined) return;
  draft.wrapUp = pressure;
  draft.messages = added(draft.messages, { role: 'user', content: rules.wrapUp });
}

/** Puts what the model has to be told into the conversation. */
function tell(draft: Draft, { injected }: Judgement): void {
  for (const content of draft.untold) draft.messages = added(draft.messages, { role: 'user', content });
  if (draft.untold.length > 0) draft.untold = [];
  if (injected !== undefined) draft.messages = added(draft.messages, { role: 'user', content: injected });
}

/** True when the user's code has something to say at the end of an iteration. */
export function mustJudge(state: AgentState, rules: AgentRules, asksGoal: boolean): boolean {
  return (asksGoal && rules.goal !== undefined) || rules.hooks.afterIteration || hasCustomConditions(rules, state);
}

/** Behind a round: another one with its results, where the iteration may have more, or the end of the iteration. */
export function afterRound(draft: Draft, rules: AgentRules): void {
  if (draft.roundsOfIteration >= rules.roundsPerIteration || draft.wrapUp !== null) {
    endIteration(draft, rules);
    return;
  }
  tell(draft, unasked);
  toCall(draft, rules);
}

/** The end of an iteration that had tool calls: asks whom it has to ask, then closes it. */
export function endIteration(draft: Draft, rules: AgentRules): void {
  if (mustJudge(draft, rules, rules.goal === 'iteration')) draft.phase = 'judging_iteration';
  else closeIteration(draft, rules, unasked);
}

/** Weighs a whole iteration, and begins the next one. */
export function closeIteration(draft: Draft, rules: AgentRules, judgement: Judgement): void {
  const before = draft.counts;
  draft.counts = counted(before, { iterations: 1 });
  if (judgement.injected !== undefined) draft.untold = [...draft.untold, judgement.injected];
  const iterationTokens = draft.usage.totalTokens - draft.time.iterationTokens;
  const weighed: Weighed = { iterationTokens, causes: causesOf(judgement, 'iteration'), verdicts: judgement.verdicts };
  weigh(
    draft,
    rules,
    'after_iteration',
    draft.wrapUp === null ? weighed : { ...weighed, finalization: { answered: false } },
  );
  if (judgement.error !== undefined) {
    // What the user's code failed to say has to be asked again when the run is resumed.
    draft.counts = before;
    draft.phase = 'judging_iteration';
  } else if (draft.ending === null) goOn(draft, rules);
  else draft.phase = 'opening';
}

/** On to the next iteration, right behind the last one. */
function goOn(draft: Draft, rules: AgentRules): void {
  resetIteration(draft);
  if (asksBefore(rules)) return;
  tell(draft, unasked);
  toCall(draft, rules);
}

/** All endings that a resume takes up, for the reset of detectors. */
export function endingsOf(state: AgentState, ending: Ending | undefined): readonly Ending[] {
  return [...(ending === undefined ? [] : [ending]), ...(state.ending === null ? [] : [state.ending]), ...state.also];
}
