import type { LanguageModel } from '../../models/language-model.js';
import type { ModelRequest } from '../../models/model-request.js';
import type { ModelPrices } from '../../run/accounts/prices.js';
import type { StepAttempt } from '../../run/run-context.js';
import { ownOutputCap } from '../machine/output-cap.js';
import type { AgentRules } from '../machine/rules.js';
import type { AgentState } from '../machine/state.js';
import { type CallSettings, type ModelSettings, settingsOfModel, withSettings } from '../options/model-settings.js';
import { nameOf } from './charge-call.js';
import { capWithin } from './room-for-answer.js';

/** Settings of a question that depend on the model that is asked, or are for this call alone. */
export interface QuestionSettings {
  readonly perModel: ModelSettings['perModel'];
  /** Those that `prepareStep` chose. */
  readonly step: CallSettings | undefined;
  readonly state: AgentState;
  readonly rules: AgentRules;
}

interface Asked {
  readonly request: ModelRequest;
  readonly prices: ModelPrices;
  readonly step: StepAttempt;
}

/** The request as one model gets it: the agent's settings, those of the model, those of the call. Budgets bound its cap all the same. */
export function requestTo(
  { request, prices, step: attempt }: Asked,
  { perModel, step, state, rules }: QuestionSettings,
  model: LanguageModel,
): ModelRequest {
  const own = settingsOfModel(perModel, model);
  const price = prices.priceOf(nameOf(model));
  const usdPerToken = price === undefined ? undefined : price.outputPerMillion / 1_000_000;
  const cap = ownOutputCap(step?.maxOutputTokens ?? own?.maxOutputTokens, { state, rules, usdPerToken });
  const asked = withSettings(withSettings(request, own), step);
  return cap === undefined ? asked : { ...asked, maxOutputTokens: capWithin(attempt, cap, usdPerToken) };
}
