import { rootText } from '../facts/fact-log.js';
import type { ConvergenceSummary } from '../options/convergence-options.js';
import type { ConvergenceState } from './state.js';

/** The output of a run whose options have none. */
export function summaryOf({ facts, cycle }: ConvergenceState): ConvergenceSummary {
  return { cycles: cycle, facts: facts.length, root: rootText(facts) };
}
