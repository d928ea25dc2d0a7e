import { partRunOptions } from '../run/carried-options.js';
import type { RunOptions } from '../run/run-options.js';
import type { ConvergenceResult } from './convergence.js';
import { defineConvergence } from './define-convergence.js';
import type { ConvergenceEnding, ConvergenceOutput } from './kinds.js';
import type { ConvergenceOptions } from './options/convergence-options.js';

/** The options of a convergence and of its one run. */
export interface ConvergeOptions extends Omit<ConvergenceOptions, 'seed'>, RunOptions {}

/**
 * Defines a convergence and runs it once.
 *
 * @example
 * const result = await converge({ facts: [fact('request', { amount: 18_000 })], suggestors: [risk, policy] });
 */
export async function converge<const TOptions extends ConvergeOptions>(
  options: TOptions,
): Promise<ConvergenceResult<ConvergenceEnding<TOptions>, ConvergenceOutput<TOptions>>> {
  const { run, rest } = partRunOptions<ConvergeOptions>(options);
  return (await defineConvergence(rest).run(undefined, run)) as Awaited<ReturnType<typeof converge<TOptions>>>;
}
