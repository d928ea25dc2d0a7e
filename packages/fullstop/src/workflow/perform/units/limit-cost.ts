import type { RunContext } from '../../../run/run-context.js';
import { asUnitContext } from '../../../run/unit/unit-context.js';
import { budgetInForce, enforcedBudget } from '../../machine/budget-in-force.js';
import type { WorkflowStart } from '../../machine/machine.js';
import type { Runtime } from '../runtime.js';

/** Makes an enforced budget a limit of the unit, so that it is looked at before every call inside, and not only between steps. */
export function limitCost(context: RunContext, runtime: Runtime, start: WorkflowStart): void {
  const unit = asUnitContext(context);
  const budget = budgetInForce(runtime.program, start, unit.openings());
  if (budget !== undefined) unit.limitCost(budget);
  requirePrices(context, runtime);
}

/** Lets the agents of modules be refused where the price of their model is not known, as those of the file are. */
function requirePrices(context: RunContext, { environment, program, provider }: Runtime): void {
  const budget = enforcedBudget(program) ?? enforcedBudget(provider);
  if (budget !== undefined && environment.allowUnknownPrices !== true) asUnitContext(context).requirePrices(budget);
}
