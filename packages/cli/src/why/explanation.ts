import type { AnyTermination, Category, JsonValue, Outcome, Resumable, TokenUsage } from 'fullstop';
import type { RunDamage, RunState, RunSummary } from 'fullstop/engine';

/** Why a run is where it is, as data. Every text is a whole sentence or a command; nothing is coloured. */
export interface Explanation {
  readonly runId: string;
  readonly name: string;
  readonly state: RunState;
  readonly segment: number;
  /** The turn of a conversation that it is. */
  readonly conversation?: NonNullable<RunSummary['conversation']>;
  /** The run that it was forked from, with the last entry that they have in common. */
  readonly forkedFrom?: ExplainedOrigin;
  /** How it ended; absent while it runs. */
  readonly ending?: ExplainedEnding;
  /** Set where what is stored of the run cannot be trusted; then nothing else is told. */
  readonly damage?: RunDamage;
  readonly headline: string;
  /** The causal chain, from what happened last to the first cause. */
  readonly because: readonly string[];
  /** The counters at the moment of the ending, in the unit where it came about. */
  readonly counters: readonly Counter[];
  /** The causes that lost against the termination. */
  readonly also: readonly string[];
  /** The steps that were done, in order. */
  readonly did: readonly string[];
  /** The calls of models that were prepared otherwise than the agent has it, in the unit where the ending came about; absent where there are none. */
  readonly prepared?: readonly string[];
  /** The units and how each ended; absent where there are none. */
  readonly tree?: ExplainedUnit;
  readonly lastOutput?: { readonly from: string; readonly value: JsonValue };
  /** The decisions of people, in order. */
  readonly decided: readonly string[];
  /** The open requests. */
  readonly waiting: readonly ExplainedRequest[];
  readonly usage?: TokenUsage;
  readonly costUsd?: number | null;
  /** True when some of the usage, and so of the cost, had to be guessed. */
  readonly estimated?: boolean;
  readonly durationMs?: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly next: readonly NextAction[];
}

export interface ExplainedOrigin {
  readonly runId: string;
  readonly at: number;
  readonly by?: string;
}

export interface ExplainedEnding {
  readonly kind: string;
  readonly tag: string;
  readonly category: Category;
  readonly outcome: Outcome;
  readonly open: boolean;
  readonly resumable: Resumable;
  readonly termination: AnyTermination;
}

export interface Counter {
  readonly name: string;
  readonly used: string;
  readonly limit?: string;
}

export interface ExplainedUnit {
  readonly name: string;
  readonly path: string;
  readonly kind?: string;
  readonly category?: Category;
  readonly summary?: string;
  readonly durationMs?: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** True when some of it was guessed. */
  readonly estimated?: boolean;
  /** True when some of it has no known price. */
  readonly unpriced?: boolean;
  readonly attempts: number;
  /** True for the units on the way to the first cause. */
  readonly isCause: boolean;
  readonly children: readonly ExplainedUnit[];
}

export interface ExplainedRequest {
  readonly id: string;
  readonly path: string;
  readonly type: string;
  readonly question: string;
  readonly openedAt: number;
  readonly deadline?: number;
  readonly choices: readonly string[];
}

/** Something to do, as a command to copy where there is one. */
export interface NextAction {
  readonly text: string;
  readonly command?: string;
}
