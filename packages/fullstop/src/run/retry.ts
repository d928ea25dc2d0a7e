import type { ErrorData } from '../termination/errors/error-data.js';

/** When and how often a step tries again. */
export interface RetryPolicy {
  /** All attempts, the first included. */
  readonly attempts: number;
  /** Before the second attempt; 100 unless given. */
  readonly initialDelayMs?: number;
  /** Each delay is this many times the one before; 2 unless given. */
  readonly factor?: number;
  /** 30,000 unless given. */
  readonly maximumDelayMs?: number;
  /** Which errors are worth another attempt; all unless given. */
  readonly retryIf?: (error: ErrorData, attempt: number) => boolean;
  /** The delay that the error itself asks for, such as a Retry-After; it replaces the computed one. */
  readonly delayOf?: (error: ErrorData) => number | undefined;
}

/** How long to wait before the next attempt, or undefined when there is none. `random` is from 0 to 1. */
export function nextDelay(
  policy: RetryPolicy | undefined,
  failed: { readonly error: ErrorData; readonly attempt: number },
  random: number,
): number | undefined {
  if (policy === undefined || failed.attempt >= policy.attempts) return undefined;
  try {
    if (policy.retryIf !== undefined && !policy.retryIf(failed.error, failed.attempt)) return undefined;
    const asked = policy.delayOf?.(failed.error);
    if (asked !== undefined && Number.isFinite(asked)) return Math.max(0, asked);
  } catch {
    // A policy that cannot judge the error does not ask for another attempt; the error itself is what the step fails with.
    return undefined;
  }
  const full = (policy.initialDelayMs ?? 100) * (policy.factor ?? 2) ** (failed.attempt - 1);
  // Half of the delay is chance, so that many runs that failed together do not come back together.
  return Math.min(full, policy.maximumDelayMs ?? 30_000) * (0.5 + random / 2);
}
