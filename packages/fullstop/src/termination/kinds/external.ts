import { instant, oneOf, optional, shape, text } from '../check.js';
import { termination } from '../check-termination.js';
import type { Ending } from '../ending.js';
import { cancelled, fatal, type KindRows, retryable } from '../kind-row.js';
import type { AnyTermination } from '../kinds.js';
import { rootCause } from '../root-cause.js';
import { colonText, inline } from '../text/wording.js';

/** Who halted the run. */
export interface Halter {
  readonly type: 'hook' | 'tool';
  readonly name: string;
}

/** Someone outside stopped the run. */
export interface Cancelled extends Ending<'cancelled', 'cancelled', 'external'> {
  readonly by: 'caller' | 'parent' | 'signal' | 'operator';
  readonly reason?: string;
  /** The ending of the parent, when the parent cancelled. */
  readonly cause?: AnyTermination;
}

/** A hook or a tool said stop. */
export interface Halted extends Ending<'halted', 'fatal', 'external'> {
  readonly by: Halter;
  readonly reason: string;
}

/** The process of the run died and a sweep gave it up. */
export interface Abandoned extends Ending<'abandoned', 'retryable', 'external'> {
  readonly lastSeenAt: string;
  readonly worker?: string;
}

export interface ExternalKinds {
  cancelled: Cancelled;
  halted: Halted;
  abandoned: Abandoned;
}

export const externalRows: KindRows<ExternalKinds> = {
  cancelled: {
    family: 'external',
    ...cancelled,
    fields: {
      by: oneOf('caller', 'parent', 'signal', 'operator'),
      reason: optional(text),
      cause: optional(termination),
    },
    describe: (t, resolver) =>
      `Cancelled by ${cancellers[t.by]}${cancelReason(t, (cause) => resolver.describe(cause))}.`,
    nextAction: () => 'Nothing to do; resume the run if it should continue after all.',
  },
  halted: {
    family: 'external',
    ...fatal,
    fields: { by: shape<Halter>({ type: oneOf('hook', 'tool'), name: text }), reason: text },
    describe: (t) => `The ${t.by.type} ${t.by.name} halted the run${colonText(t.reason)}.`,
    nextAction: (t) => `Resolve what the ${t.by.type} ${t.by.name} stopped the run for, then resume.`,
  },
  abandoned: {
    family: 'external',
    ...retryable,
    fields: { lastSeenAt: instant, worker: optional(text) },
    describe: (t) => `Abandoned: nothing has been heard from ${t.worker ?? 'its process'} since ${t.lastSeenAt}.`,
    nextAction: () => 'Resume the run: finished work is kept, and it continues from there.',
  },
};

const cancellers = {
  caller: 'the caller',
  parent: 'its parent',
  signal: 'a signal to the process',
  operator: 'an operator',
} as const;

function cancelReason(t: Cancelled, describe: (cause: Ending) => string): string {
  if (t.reason !== undefined) return colonText(t.reason);
  if (t.cause === undefined) return '';
  // One level only: a cause that goes back to a cancellation must not unroll a whole chain into one sentence.
  const wasCancelled = rootCause(t.cause).kind === 'cancelled';
  return wasCancelled ? ', which was cancelled itself' : `, which ended: ${inline(describe(t.cause))}`;
}
