import { type AnyTermination, type Envelope, rootCause } from 'fullstop';
import type { LimitChanges } from '../workflow/limit-changes.js';
import type { RetryPolicy } from './retry-policy.js';

/** The reaction of a policy to an ending. */
export type NextAttempt =
  | { readonly type: 'stop'; readonly why: string }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'raise'; readonly changes: LimitChanges };

/** Decides from the ending alone what to do next. `attempt` counts the segments so far, the first included. */
export function chooseNextAttempt(
  ending: Pick<Envelope, 'category' | 'termination' | 'open' | 'retryAfterMs'>,
  policy: RetryPolicy,
  attempt: number,
): NextAttempt {
  if (!ending.open) return { type: 'stop', why: 'the ending is final' };
  switch (ending.category) {
    case 'retryable':
      return later(ending.retryAfterMs, policy.retryable, attempt);
    case 'capacity':
      return raised(rootCause(ending.termination), policy.capacity);
    case 'fatal':
      return { type: 'stop', why: 'a fatal ending needs someone to act' };
    case 'success':
    case 'paused':
    case 'cancelled':
      return { type: 'stop', why: `it is ${ending.category}` };
    default:
      return ending.category satisfies never;
  }
}

function later(
  retryAfterMs: number | undefined,
  { attempts, backoffMs, longestMs }: RetryPolicy['retryable'],
  attempt: number,
): NextAttempt {
  if (attempt >= attempts) return { type: 'stop', why: `${attempt} attempts were made` };
  if (retryAfterMs !== undefined && retryAfterMs > longestMs)
    return { type: 'stop', why: 'the provider asks for a longer wait than the policy allows' };
  return { type: 'wait', ms: retryAfterMs ?? Math.min(backoffMs * 2 ** (attempt - 1), longestMs) };
}

function raised(cause: AnyTermination, { factor, ceilings }: RetryPolicy['capacity']): NextAttempt {
  const within = (used: number, ceiling: number | undefined, change: (value: number) => LimitChanges): NextAttempt => {
    if (ceiling === undefined) return { type: 'stop', why: `the policy has no ceiling for ${cause.kind}` };
    if (used >= ceiling) return { type: 'stop', why: `the ceiling for ${cause.kind} is reached` };
    return { type: 'raise', changes: change(Math.min(used * factor, ceiling)) };
  };
  switch (cause.kind) {
    case 'max_iterations':
      return within(cause.used, ceilings.maxIterations, (value) => ({ maxIterations: Math.ceil(value) }));
    case 'token_budget':
      return within(cause.used, ceilings.tokens, (value) => ({ tokens: Math.ceil(value) }));
    case 'cost_budget':
      return within(cause.usedUsd, ceilings.costUsd, (value) => ({ costUsd: value }));
    case 'time_budget':
      // More time for the run does not help a call, step or stage that has a limit of its own.
      if (cause.scope !== 'run') return { type: 'stop', why: `the time limit of a ${cause.scope} is not the run's` };
      return within(cause.elapsedMs, ceilings.timeoutMs, (value) => ({ timeoutMs: Math.ceil(value) }));
    default:
      return { type: 'stop', why: `more of a limit does not help against ${cause.kind}` };
  }
}
