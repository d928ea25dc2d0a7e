import type { RunContext } from '../../../run/run-context.js';
import { asUnitContext } from '../../../run/unit/unit-context.js';
import { budgetInForce } from '../../machine/budget-in-force.js';
import type { WorkflowStart } from '../../machine/machine.js';
import type { Program } from '../../machine/program.js';

/** Makes an enforced budget a limit of the unit, so that it is looked at before every call inside, and not only between steps. */
export function limitCost(context: RunContext, program: Program, start: WorkflowStart): void {
  const unit = asUnitContext(context);
  const budget = budgetInForce(program, start, unit.openings());
  if (budget !== undefined) unit.limitCost(budget);
}
