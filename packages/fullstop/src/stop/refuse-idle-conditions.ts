import { FullstopError } from '../termination/errors/fullstop-error.js';
import { suggestion } from '../termination/text/suggestion.js';
import type { StopCondition } from './condition.js';
import { hardLimits } from './hard-limits.js';

/** The tools of an agent, by name. */
export interface ToolNames {
  readonly names: readonly string[];
  /** Why a tool may never be called, for those that may not. */
  readonly denied: ReadonlyMap<string, string>;
}

/** Refuses conditions that can never fire: whoever wrote them relies on them. */
export function refuseIdleConditions(conditions: readonly StopCondition<string>[], tools: ToolNames): void {
  for (const condition of conditions) {
    const { type, tool, succeeded = false } = condition.toJSON();
    if (type === 'stopOnTool' && typeof tool === 'string') refuseIdleTool(tool, succeeded === true, tools);
    if (type === 'budgetPressure' && Object.keys(hardLimits(conditions)).length === 0)
      throw idle('budgetPressure needs a budget beside it: tokenBudget, costBudget or timeout({ run })');
  }
}

function refuseIdleTool(tool: string, succeeded: boolean, { names, denied }: ToolNames): void {
  const called = `stopOnTool names ${JSON.stringify(tool)}`;
  if (!names.includes(tool)) {
    const there = names.length === 0 ? 'it has none' : `there are ${names.join(', ')}`;
    throw idle(`${called}, which is no tool of the agent${suggestion(tool, names)}; ${there}`);
  }
  const reason = denied.get(tool);
  if (succeeded && reason !== undefined)
    throw idle(`${called} with succeeded: true, but no call of it can succeed: ${reason}`);
}

function idle(why: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `stopWhen: ${why}. The condition could never end the run.`);
}
