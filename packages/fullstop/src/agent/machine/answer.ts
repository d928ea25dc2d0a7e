import { codeOf, type ModelFailure } from '../../models/errors/classify-model-error.js';
import type { ModelResponse } from '../../models/model-response.js';
import { classifyError } from '../../run/ending/classify-error.js';
import { added } from '../../run/log.js';
import { observeText } from '../../stop/observe.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import { cutText } from '../../termination/wording.js';
import { helpsOverflow } from './compact.js';
import { addUsage, counted } from './draft.js';
import { beforeCall, closeIteration, mustJudge, unasked } from './iteration.js';
import { isCutByBudget, raisedCap } from './output-cap.js';
import { beginRound, finishIfDone } from './round.js';
import { type AgentRules, conditionsOf } from './rules.js';
import {
  type AgentState,
  type Draft,
  type FailedCall,
  goOn,
  type IterationRecord,
  type Judgement,
  type ModelOutcome,
} from './state.js';
import { causeOf, causesOf, weigh } from './weigh.js';

/** Takes in what came of a model call. */
export function applyModel(draft: Draft, rules: AgentRules, outcome: ModelOutcome): void {
  charge(draft, outcome);
  if (helpsOverflow(draft, rules, outcome)) return;
  const { response, failure, directive } = outcome;
  const causes: Cause[] = directive === undefined ? [] : [causeOf(directive)];
  if (failure !== undefined) {
    causes.push(...causesOfFailure(draft, failure, outcome.attempts));
  }
  const spoiled = response === undefined ? undefined : spoiledAnswer(draft, rules, response);
  if (response !== undefined) keepRecord(draft, response, outcome);
  if (spoiled !== undefined) {
    const raised = directive === undefined ? raisedCap(draft, rules, spoiled) : undefined;
    if (raised !== undefined) {
      draft.outputCap = raised;
      draft.starved = spoiled;
      beforeCall(draft, rules, unasked);
      return;
    }
    causes.push({ slot: 'step_error', termination: spoiled });
  }
  // Without a sound answer the same call is made again when the run is resumed.
  if (response === undefined || spoiled !== undefined) weigh(draft, rules, 'after_response', { causes });
  else takeAnswer(draft, rules, outcome, causes);
}

function takeAnswer(draft: Draft, rules: AgentRules, outcome: ModelOutcome, causes: readonly Cause[]): void {
  const { content, toolCalls, text } = outcome.response as ModelResponse;
  if (content.length > 0) draft.messages = added(draft.messages, { role: 'assistant', content });
  if (outcome.said !== undefined) draft.untold = [...draft.untold, outcome.said];
  if (toolCalls.length > 0) {
    beginRound(draft, rules, toolCalls);
    weigh(draft, rules, 'after_response', { text: observeText(text, conditionsOf(rules, draft)), causes });
    if (draft.ending === null) finishIfDone(draft, rules);
    return;
  }
  keepOutput(draft, outcome);
  if (causes.length === 0 && mustJudge(draft, rules, true)) draft.phase = 'judging_answer';
  else finishAnswer(draft, rules, unasked, causes);
}

function charge(draft: Draft, { charge: charged, cut, injected }: ModelOutcome): void {
  draft.counts = counted(draft.counts, { modelCalls: 1 });
  for (const content of injected ?? []) draft.messages = added(draft.messages, { role: 'user', content });
  if (cut !== undefined) for (const each of cut) addUsage(draft, each);
  if (charged === undefined) return;
  addUsage(draft, charged);
  draft.promptTokens = charged.inputTokens ?? 0;
}

function keepRecord(draft: Draft, response: ModelResponse, { attempts, charge: charged }: ModelOutcome): void {
  const { text, finish, toolCalls, modelId } = response;
  const record: IterationRecord = {
    iteration: draft.counts.iterations + 1,
    text,
    finish,
    toolCalls: toolCalls.length,
    inputTokens: charged?.inputTokens ?? 0,
    outputTokens: charged?.outputTokens ?? 0,
    attempts,
  };
  draft.iterations = added(draft.iterations, modelId === undefined ? record : { ...record, modelId });
  draft.text = text;
  draft.finish = finish;
}

function keepOutput(draft: Draft, { output }: ModelOutcome): void {
  draft.counts = counted(draft.counts, { rounds: 1 });
  draft.violations = output === undefined || output.ok ? [] : output.violations;
  if (output?.ok !== true) return;
  draft.output = output.value;
  draft.hasOutput = true;
}

/** Weighs an answer that asks for no tool, together with what the user's code says about it. */
export function finishAnswer(draft: Draft, rules: AgentRules, judgement: Judgement, own: readonly Cause[] = []): void {
  const invalid = draft.violations.length > 0;
  const exhausted = invalid ? exhaustedRepair(draft, rules) : undefined;
  const causes = [...own, ...causesOf(judgement, 'iteration')];
  if (exhausted !== undefined) causes.push({ slot: 'step_error', termination: exhausted });
  else if (!invalid && draft.finish === 'stop' && draft.wrapUp === null) {
    causes.push({ slot: 'goal', termination: { kind: 'natural_end' } });
  }
  weigh(draft, rules, 'after_response', {
    text: observeText(draft.text, conditionsOf(rules, draft)),
    calls: [],
    causes,
    verdicts: judgement.verdicts,
    finalization: draft.wrapUp === null ? undefined : { answered: !invalid },
  });
  if (judgement.error !== undefined) {
    draft.phase = 'judging_answer';
    return;
  }
  if (invalid) repair(draft);
  else if (draft.untold.length === 0 && rules.freshPrompt === undefined) draft.untold = [goOn];
  if (draft.ending === null) closeIteration(draft, rules, onlyWords(judgement));
  else {
    draft.phase = 'opening';
    draft.counts = counted(draft.counts, { iterations: 1 });
  }
}

/** Its causes were weighed with the answer; only what it has to say to the model is left. */
function onlyWords({ injected }: Judgement): Judgement {
  return injected === undefined ? unasked : { injected };
}

function repair(draft: Draft): void {
  const list = draft.violations
    .map(({ path, message }) => `- ${path === '' ? 'the value' : path}: ${message}`)
    .join('\n');
  const text = `The answer does not fit the schema:\n${list}\nAnswer again with a corrected value, as JSON and nothing else.`;
  draft.untold = [...draft.untold, text];
  draft.repairs += 1;
}

function exhaustedRepair({ violations, repairs, text }: AgentState, { repair }: AgentRules): Ending | undefined {
  if (repair === false) return { kind: 'schema_validation', violations, received: received(text) } as Ending;
  if (repairs < (repair ?? 0)) return undefined;
  return { kind: 'structured_output_exhausted', attempts: repairs + 1, violations } as Ending;
}

function received(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** The ending of an answer that cannot be used, if so. */
function spoiledAnswer(draft: Draft, rules: AgentRules, response: ModelResponse): Ending | undefined {
  const { finish, rawFinish, text, toolCalls } = response;
  if (finish === 'length') {
    // The budget is the reason then, and it says so itself.
    if (isCutByBudget(draft, rules)) return undefined;
    const starved = text.trim() === '' && toolCalls.length === 0;
    const cap = draft.outputCap ?? rules.output.cap;
    return {
      kind: 'output_truncated',
      reason: starved ? 'thinking_starved' : 'length',
      ...(cap !== undefined && { cap }),
    } as Ending;
  }
  const byModel = rawFinish === 'refusal';
  if (finish !== 'content_filter' && !byModel) return undefined;
  const reason = text === '' ? 'The answer was withheld.' : text;
  return { kind: 'agent_refused', agentId: rules.name, reason, by: byModel ? 'model' : 'filter' } as Ending;
}

/** What a failed call comes to; what happened before it in the same iteration is not forgotten. */
function causesOfFailure(draft: Draft, failure: FailedCall, attempts: number): readonly Cause[] {
  const { timedOutAfterMs: limitMs, scope } = failure;
  const before: readonly Cause[] = draft.starved === null ? [] : [{ slot: 'step_error', termination: draft.starved }];
  if (limitMs === undefined || scope === undefined) {
    return [{ slot: 'step_error', termination: endingOfFailure(failure, attempts) }, ...before];
  }
  const elapsedMs = scope === 'run' ? draft.time.activeMs : draft.time.activeMs - draft.time.iterationMs;
  // The condition whose limit it is says so itself, unless the timer was a little early.
  if (elapsedMs >= limitMs) return before;
  const termination = { kind: 'time_budget', limitMs, elapsedMs: limitMs, scope } as Ending;
  return [{ slot: 'budget', termination }, ...before];
}

/** Some providers answer with whole pages; the beginning says what it is. */
const longestMessage = 1000;

function endingOfFailure(failure: FailedCall, attempts: number): Ending {
  const { type, status, provider, retryAfterMs, limit, used, error, timedOutAfterMs } = failure;
  if (timedOutAfterMs !== undefined) {
    return { kind: 'time_budget', limitMs: timedOutAfterMs, elapsedMs: timedOutAfterMs, scope: 'model' } as Ending;
  }
  if (type === 'auth') return { kind: 'provider_auth', status: status ?? 401, provider } as Ending;
  if (type === 'context_length') {
    return {
      kind: 'prompt_too_long',
      ...(limit !== undefined && { limit }),
      ...(used !== undefined && { used }),
    } as Ending;
  }
  if (type === 'rate_limit' || type === 'unavailable' || type === 'malformed') {
    const code = codeOf(error);
    const seen = {
      ...(status !== undefined && { status }),
      attempts,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(provider !== '' && { provider }),
      ...(code !== undefined && { code }),
      ...(error.message !== '' && { message: cutText(error.message, longestMessage) }),
    };
    return { kind: 'provider_failed', ...seen } as Ending;
  }
  return { kind: 'failed', error, origin: 'loop', errorClass: classOf(failure) } as Ending;
}

function classOf({ type, error }: ModelFailure): string {
  if (type === 'invalid_request') return 'configuration';
  return type === 'aborted' ? 'external' : classifyError(error);
}
