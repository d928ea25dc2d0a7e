import type { RunState, RunSummary } from '../port/engine.js';
import type { StoredEnvelope } from '../port/envelope.js';
import type { Usage } from '../port/usage.js';
import { wakeAtOf } from './wake-at.js';

/** The part of an ending that lists show. */
export type EndingSummary = Required<
  Pick<RunSummary, 'kind' | 'category' | 'outcome' | 'summary' | 'costUsd' | 'durationMs'>
> & { readonly usage: Usage };

/** Everything an engine keeps of an ending besides its entry. */
export interface EndingFacts extends EndingSummary {
  /** The state of a run with this ending: after a paused one it is parked and can wake. */
  readonly state: Extract<RunState, 'parked' | 'ended'>;
  /** False when nothing may follow. */
  readonly open: boolean;
  readonly endedAt: number;
  readonly wakeAt?: number | undefined;
}

export function readEnding(envelope: StoredEnvelope): EndingFacts {
  const { open, endedAt } = envelope;
  const summary = summarizeEnding(envelope);
  if (envelope.category !== 'paused') return { ...summary, state: 'ended', open, endedAt };
  return { ...summary, state: 'parked', open, endedAt, wakeAt: wakeAtOf(envelope) };
}

export function summarizeEnding(envelope: StoredEnvelope): EndingSummary {
  const { termination, category, outcome, summary, usage, costUsd, durationMs } = envelope;
  return { kind: termination.kind, category, outcome, summary, usage, costUsd, durationMs };
}
