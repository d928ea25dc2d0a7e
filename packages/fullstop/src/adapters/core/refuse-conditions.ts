import type { StopCondition } from '../../stop/condition.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';

/** Refuses conditions that steer a loop rather than end it: the loop belongs to the framework, and they would silently not hold. */
export function refuseForeignConditions(conditions: readonly StopCondition<string>[]): void {
  for (const condition of conditions) {
    const { type, model, tool } = condition.toJSON();
    if (type === 'budgetPressure')
      throw refused('budgetPressure asks for one more iteration that wraps up, which only an agent of ours makes');
    if (type === 'timeout' && model !== undefined && model !== false)
      throw refused(
        'timeout({ model }) limits single calls of the model, which belong to the framework; use its own option, or timeout({ iteration })',
      );
    if (type === 'timeout' && tool !== undefined)
      throw refused(
        'timeout({ tool }) limits single calls of tools, which belong to the framework; use timeout({ iteration })',
      );
  }
}

function refused(why: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `stopWhen: ${why}.`);
}
