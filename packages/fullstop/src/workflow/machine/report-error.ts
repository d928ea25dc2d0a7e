import { describe } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { rootCause } from '../../termination/root-cause.js';

/** An ending as an error with the class that the reference has for it: for group errors, error routes and events. */
export function reportError(termination: Ending, { asksModel }: { readonly asksModel: boolean }): ErrorData {
  const cause: AnyTermination = rootCause(termination);
  switch (cause.kind) {
    case 'failed':
      return cause.origin === 'loop' ? { ...cause.error, name: 'ProviderError' } : cause.error;
    case 'terminated':
      return {
        name: 'SubworkflowTerminatedError',
        message: `The sub-workflow was terminated explicitly by '${cause.by}': ${cause.reason}`,
      };
    case 'schema_validation':
    case 'structured_output_exhausted':
      return { name: 'ValidationError', message: cause.violations.map(({ message }) => message).join('; ') };
    case 'max_iterations':
      return { name: 'MaxIterationsError', message: `Workflow exceeded maximum iterations (${cause.limit})` };
    case 'cost_budget':
      return {
        name: 'BudgetExceededError',
        message: `Workflow exceeded cost budget ($${cause.limitUsd.toFixed(2)}): spent $${cause.usedUsd.toFixed(2)}`,
      };
    case 'no_route':
      return {
        name: 'ValueError',
        message: `No matching route found for '${cause.step}': no condition holds, and there is no route without one`,
      };
    case 'time_budget':
      return cause.scope !== 'run' && asksModel
        ? { name: 'AgentTimeoutError', message: `The step exceeded its timeout (${cause.limitMs / 1000}s)` }
        : { name: 'TimeoutError', message: `The workflow exceeded timeout (${cause.limitMs / 1000}s)` };
    default:
      return { name: classes[cause.kind] ?? 'ExecutionError', message: describe(cause) };
  }
}

const classes: Readonly<Record<string, string>> = {
  provider_auth: 'ProviderError',
  provider_quota: 'ProviderError',
  provider_failed: 'ProviderError',
  no_answer: 'ProviderError',
  prompt_too_long: 'ProviderError',
};
