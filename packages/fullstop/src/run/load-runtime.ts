import type { Ending } from '../termination/ending.js';
import type { DriveOptions } from './machine/drive.js';
import type { RunEnd } from './run-context.js';

export type Runtime = typeof import('./runtime.js');

let runtime: Runtime | undefined;

/** The code that executes runs. It is loaded once. */
export async function loadRuntime(): Promise<Runtime> {
  runtime ??= await import('./runtime.js');
  return runtime;
}

/**
 * Runs a machine: asks what to do, performs it through the context and folds the observations in, in the order of the
 * journal. On resume the same loop runs over what the journal holds, so that nothing is decided twice.
 */
export async function driveLazily<TState, TPlan, TInput>(
  options: DriveOptions<TState, TPlan, TInput>,
): Promise<RunEnd<Ending>> {
  return (await loadRuntime()).drive(options);
}
