import { FullstopError } from '../termination/errors/fullstop-error.js';
import { suggestion } from '../termination/text/suggestion.js';
import type { StopCondition } from './condition.js';
import { hardLimits } from './hard-limits.js';

/** Refuses conditions that can never fire: whoever wrote them relies on them. */
export function refuseIdleConditions(conditions: readonly StopCondition<string>[], tools: readonly string[]): void {
  for (const condition of conditions) {
    const { type, tool } = condition.toJSON();
    if (type === 'stopOnTool' && typeof tool === 'string' && !tools.includes(tool)) {
      const there = tools.length === 0 ? 'it has none' : `there are ${tools.join(', ')}`;
      throw idle(
        `stopOnTool names ${JSON.stringify(tool)}, which is no tool of the agent${suggestion(tool, tools)}; ${there}`,
      );
    }
    if (type === 'budgetPressure' && Object.keys(hardLimits(conditions)).length === 0)
      throw idle('budgetPressure needs a budget beside it: tokenBudget, costBudget or timeout({ run })');
  }
}

function idle(why: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `stopWhen: ${why}. The condition could never end the run.`);
}
