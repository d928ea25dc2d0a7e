import { describe, outcome } from '../../termination/classify.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { createRegistry } from '../../termination/registry.js';

interface FailureRules {
  readonly terminations?: readonly AnyTerminationDefinition[];
  readonly treatAsSuccess?: (termination: Ending) => boolean;
}

/** An ending as the error of the call that ran an agent, if the agent failed. */
export function failureOf(
  termination: Ending,
  { terminations = [], treatAsSuccess }: FailureRules,
): ErrorData | undefined {
  const registry = createRegistry(terminations);
  if (outcome(termination, registry) !== 'failed' || treatAsSuccess?.(termination) === true) return undefined;
  return { name: 'AgentFailed', message: describe(termination, registry), code: termination.kind.toUpperCase() };
}
