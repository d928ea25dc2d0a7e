import { isInstance, StepFailed } from '../../run/errors.js';
import type { ExecutorResult } from '../options/stage-work.js';
import { failureOf } from './function-executor.js';

/** The verdict of a callback about work that has ended, or the failure of the stage because it threw. */
type WorkVerdict<T> = { readonly verdict: T } | { readonly failed: ExecutorResult };

/** Asks a callback about work that has ended. A throw fails the stage; the ending and the output of the work are kept. */
export async function askAboutWork<T>(ran: ExecutorResult, ask: () => Promise<T>): Promise<WorkVerdict<T>> {
  try {
    return { verdict: await ask() };
  } catch (error) {
    if (!isInstance(error, StepFailed)) throw error;
    // Without its links: a resume asks again, and does not do the work again.
    const { links: _, executor = ran.termination, ...rest } = ran;
    return { failed: { ...rest, termination: failureOf(error), executor } };
  }
}
