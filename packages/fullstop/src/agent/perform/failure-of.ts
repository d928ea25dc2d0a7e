import { describe, outcome } from '../../termination/classify.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending, Outcome } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { createRegistry } from '../../termination/registry.js';

/** The outcomes of work that is done. */
export const done: ReadonlySet<Outcome> = new Set<Outcome>(['succeeded', 'skipped']);

interface FailureRules {
  readonly terminations?: readonly AnyTerminationDefinition[];
  readonly treatAsSuccess?: (termination: Ending) => boolean;
}

/** An ending as the error of the call that ran an agent, unless the agent has done its work: one that a verdict holds for a person has not. */
export function failureOf(
  termination: Ending,
  { terminations = [], treatAsSuccess }: FailureRules,
): ErrorData | undefined {
  const registry = createRegistry(terminations);
  if (done.has(outcome(termination, registry)) || treatAsSuccess?.(termination) === true) return undefined;
  return { name: 'AgentFailed', message: describe(termination, registry), code: termination.kind.toUpperCase() };
}
