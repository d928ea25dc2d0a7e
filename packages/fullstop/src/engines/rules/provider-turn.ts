import type { ProviderLimit } from '../port/provider-gate.js';

/** The calls of a provider, as they are known at an instant. */
export interface ProviderCalls {
  /** How long it is still to be left alone, in milliseconds; 0 or less when it is not. */
  readonly pauseMs: number;
  /** Calls under way. */
  readonly active: number;
  /** Calls that began within the last minute. */
  readonly recent: number;
  /** How long ago the first of those began. */
  readonly oldestMs: number;
}

export const minuteMs = 60_000;
/** How long to wait for a call that may end at any moment. */
export const nextLookMs = 200;

/** How long a call has to wait; 0 when it may begin. */
export function waitForTurn({ concurrency, perMinute }: ProviderLimit, calls: ProviderCalls): number {
  const { pauseMs, active, recent, oldestMs } = calls;
  if (pauseMs > 0) return pauseMs;
  if (perMinute !== undefined && recent >= perMinute) return Math.max(1, minuteMs - oldestMs);
  return concurrency !== undefined && active >= concurrency ? nextLookMs : 0;
}
