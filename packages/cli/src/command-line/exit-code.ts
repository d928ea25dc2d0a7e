import type { Category, Envelope } from 'fullstop';

/** The exit codes that the command line promises. */
export const exitCodes = {
  succeeded: 0,
  fatal: 1,
  /** Usage, or a file that is not valid: nothing was started. */
  usage: 2,
  capacity: 3,
  retryable: 4,
  paused: 5,
  cancelled: 6,
} as const;

const bySignal: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

const byCategory: Readonly<Record<Category, number>> = {
  // A success that a run does not count as one, for want of a better word.
  success: exitCodes.fatal,
  fatal: exitCodes.fatal,
  capacity: exitCodes.capacity,
  retryable: exitCodes.retryable,
  paused: exitCodes.paused,
  cancelled: exitCodes.cancelled,
};

/** The exit code of an ending; it needs nothing but what every envelope says about itself. */
export function exitCodeOf({
  outcome,
  category,
  termination,
}: Pick<Envelope, 'outcome' | 'category' | 'termination'>): number {
  if (outcome === 'succeeded' || outcome === 'skipped') return exitCodes.succeeded;
  const { by, reason } = termination as { readonly by?: unknown; readonly reason?: unknown };
  if (category === 'cancelled' && by === 'signal') return exitCodeOfSignal(String(reason)) ?? exitCodes.cancelled;
  return byCategory[category];
}

/** 128 plus the number of the signal. */
export function exitCodeOfSignal(signal: string): number | undefined {
  return bySignal[signal];
}
