import type { Charge } from '../../engines/port/usage.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ModelMessage } from '../../models/message.js';
import type { ModelResponse } from '../../models/model-response.js';
import { estimateTokens, type ModelPrices, type TokenCount } from '../../run/accounts/prices.js';
import type { StepAttempt } from '../../run/run-context.js';

/** The step that asks, its conversation and its prices. */
export interface ChargedQuestion {
  readonly prices: ModelPrices;
  readonly step: StepAttempt;
  readonly messages: readonly ModelMessage[];
}

/** Charges a step with the usage of a call. One that was cut off without a response is charged for its prompt: the provider has read it. */
export function chargeCall(
  { prices, step, messages }: ChargedQuestion,
  model: LanguageModel,
  response: ModelResponse | undefined,
): Charge {
  const usage = response?.usage;
  const isReported = usage?.inputTokens !== undefined && usage.outputTokens !== undefined;
  const charge = prices.charge(nameOf(model), isReported ? usage : estimateUsage(messages, response));
  step.charge(charge);
  return charge;
}

const names = new WeakMap<LanguageModel, string>();

/** The name under which a model has a price. */
export function nameOf(model: LanguageModel): string {
  let name = names.get(model);
  if (name === undefined) {
    name = `${model.provider}/${model.modelId}`;
    names.set(model, name);
  }
  return name;
}

/** The reported usage, completed by guesses, and flagged as an estimate. */
function estimateUsage(messages: readonly ModelMessage[], response: ModelResponse | undefined): TokenCount {
  const { inputTokens, outputTokens } = response?.usage ?? {};
  const answer = response === undefined ? 0 : estimateTokens(JSON.stringify(response.content));
  return {
    inputTokens: inputTokens ?? estimateConversation(messages),
    outputTokens: outputTokens ?? answer,
    estimated: true,
  };
}

const estimates = new WeakMap<readonly ModelMessage[], { count: number; tokens: number }>();

/** Counts only what is new since the last call, so that long conversations do not take ever longer. */
function estimateConversation(messages: readonly ModelMessage[]): number {
  const known = estimates.get(messages) ?? { count: 0, tokens: 0 };
  for (; known.count < messages.length; known.count += 1) {
    known.tokens += estimateTokens(JSON.stringify(messages[known.count]));
  }
  estimates.set(messages, known);
  return known.tokens;
}
