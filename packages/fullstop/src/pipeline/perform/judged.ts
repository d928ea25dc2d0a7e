import { isInstance, StepFailed } from '../../run/errors.js';
import type { Ran } from '../options/stage-work.js';
import { failureOf } from './function-executor.js';

/** What a callback says about work that has ended, or how the stage fails because it threw. */
type Judged<T> = { readonly verdict: T } | { readonly failed: Ran };

/** Asks about work that has ended. A throw fails the stage; how the work itself ended, and what it gave, is not lost by that. */
export async function judged<T>(ran: Ran, ask: () => Promise<T>): Promise<Judged<T>> {
  try {
    return { verdict: await ask() };
  } catch (error) {
    if (!isInstance(error, StepFailed)) throw error;
    // Without its links: a resume asks again, and does not do the work again.
    const { links: _, executor = ran.termination, ...rest } = ran;
    return { failed: { ...rest, termination: failureOf(error), executor } };
  }
}
