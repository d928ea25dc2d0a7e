import { describe } from '../termination/classify.js';
import type { Ending } from '../termination/ending.js';
import type { BudgetPressure } from '../termination/kinds/limit.js';
import { percent } from '../termination/text/wording.js';

/** An ending that a resume would come to before anything new happened, in words: of one that has not been reached nobody knows what it would have said. */
export function describeAtOnce(ending: Ending): string {
  if (ending.kind !== 'budget_pressure') return describe(ending);
  const { threshold, resource } = ending as BudgetPressure;
  const budget = resource === 'tokens' ? 'token' : resource;
  return `${percent(threshold)} of the ${budget} budget is used already, and the model would only be told to wrap up again.`;
}
