import { toStorable } from '../../termination/text/storable-text.js';
import type { RunState, RunSummary } from '../port/engine.js';
import type { StoredEnvelope } from '../port/envelope.js';
import type { TokenUsage } from '../port/usage.js';
import { wakeAtOf } from './wake-at.js';

/** The part of an ending that lists show. */
export type EndingSummary = Required<
  Pick<RunSummary, 'kind' | 'category' | 'outcome' | 'summary' | 'costUsd' | 'durationMs'>
> & { readonly usage: TokenUsage } & Pick<RunSummary, 'estimated'>;

/** Everything an engine keeps of an ending besides its entry. */
export interface EndingFacts extends EndingSummary {
  /** The state of a run with this ending: after a paused one it is parked and can wake. */
  readonly state: Extract<RunState, 'parked' | 'ended'>;
  /** False when nothing may follow. */
  readonly open: boolean;
  readonly endedAt: number;
  readonly wakeAt?: number | undefined;
}

/** Written out, not spread: every ending passes here, and a copy of a copy costs more than all rules together. */
export function readEnding(envelope: StoredEnvelope): EndingFacts {
  const isPaused = envelope.category === 'paused';
  return {
    kind: envelope.termination.kind,
    category: envelope.category,
    outcome: envelope.outcome,
    // Stored by itself too, and a model may have said anything.
    summary: toStorable(envelope.summary),
    usage: envelope.usage,
    costUsd: envelope.costUsd,
    ...(envelope.estimated === true && { estimated: true }),
    durationMs: envelope.durationMs,
    state: isPaused ? 'parked' : 'ended',
    open: envelope.open,
    endedAt: envelope.endedAt,
    wakeAt: isPaused ? wakeAtOf(envelope) : undefined,
  };
}

export function summarizeEnding(envelope: StoredEnvelope): EndingSummary {
  return summarizeFacts(readEnding(envelope));
}

export function summarizeFacts(facts: EndingFacts): EndingSummary {
  const { kind, category, outcome, summary, usage, costUsd, estimated, durationMs } = facts;
  const guessed = estimated === true && { estimated };
  return { kind, category, outcome, summary, usage, costUsd, ...guessed, durationMs };
}
