import type { Category, Ending, Family, Outcome } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { TokenUsage } from './usage.js';

/** Whether and how a run can continue. */
export interface Resumable {
  readonly how: 'answer' | 'raise_limit' | 'resume' | 'no';
  readonly reason?: string;
}

/** An ending with everything that follows from it as data, so that readers without its definition can act. */
export interface Envelope<TEnding extends Ending = AnyTermination> {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly segment: number;
  readonly name: string;
  readonly termination: TEnding;
  /** The causes that lost against the termination in the same evaluation. */
  readonly also: readonly AnyTermination[];
  readonly outcome: Outcome;
  readonly category: Category;
  readonly family: Family;
  readonly open: boolean;
  readonly tag: string;
  readonly summary: string;
  readonly nextAction: string;
  readonly resumable: Resumable;
  readonly output?: JsonValue;
  readonly retryAfterMs?: number;
  readonly usage: TokenUsage;
  /** Null when a price is not known, never 0 for want of knowledge. */
  readonly costUsd: number | null;
  /** True when some of the usage, and so of the cost, had to be guessed; absent otherwise. */
  readonly estimated?: boolean;
  /** Active time: human waits and downtime do not count. */
  readonly durationMs: number;
  readonly endedAt: number;
  /** The hash of the journal up to and including the ending, on engines that keep one. */
  readonly headHash?: string;
  /** False when the store failed at the very end; then nobody was notified either. */
  readonly persisted: boolean;
}

/** An envelope as it is in the journal: whether it was kept is not part of what is kept. */
export type StoredEnvelope = Omit<Envelope, 'headHash' | 'persisted'>;
