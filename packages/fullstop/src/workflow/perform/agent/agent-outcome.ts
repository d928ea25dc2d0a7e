import type { Agent } from '../../../agent/agent.js';
import type { UnitDetails } from '../../../agent/tools/unit-tool.js';
import type { LanguageModel } from '../../../models/language-model.js';
import type { ModelPrice } from '../../../run/accounts/price.js';
import type { RunEnd } from '../../../run/run-context.js';
import type { Secrets } from '../../../run/secrets/secrets.js';
import { outcome } from '../../../termination/classify.js';
import type { Ending } from '../../../termination/ending.js';
import type { JsonValue } from '../../../termination/json.js';
import type { UnitOutcome } from '../../machine/state.js';
import type { AgentStep } from '../../schema/steps/agent.js';
import { answerText } from '../human/answer-text.js';

/** An agent and the model that it asks. */
export interface MadeAgent {
  readonly agent: Agent;
  readonly model: LanguageModel;
  /** Shared by everyone who is asked for the step: prices, and values that journals must not hold. */
  readonly shared: SharedOptions;
}

export interface SharedOptions {
  readonly prices: Readonly<Record<string, ModelPrice>>;
  readonly secrets?: Secrets;
}

/** The outcome of an agent for the workflow: its output, and what it used however it ended. */
export function outcomeOf(step: AgentStep, { termination, output }: RunEnd<Ending>): JsonValue {
  const {
    text = '',
    structured = false,
    usage,
    costUsd = null,
    estimated = false,
  } = (output ?? {}) as Partial<UnitDetails>;
  const verdict = outcome(termination);
  const isDone = verdict === 'succeeded' || verdict === 'skipped';
  const kept: UnitOutcome = {
    output: isDone ? answerText(step, { text, structured }) : 'null',
    costUsd,
    tokens: usage?.totalTokens ?? 0,
    ...(estimated && { estimated }),
  };
  return kept as unknown as JsonValue;
}
