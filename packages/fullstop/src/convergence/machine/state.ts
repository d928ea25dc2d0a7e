import type { ReadBudgets } from '../../run/changes/budgets.js';
import type { Log } from '../../run/log.js';
import type { MachineObservation } from '../../run/machine/machine.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { FactApproval, Proposal } from '../facts/fact.js';
import type { FactLog } from '../facts/fact-log.js';
import type { ProposalRejection } from '../facts/rejection.js';
import type { CriterionSettlement, CriterionVerdict } from '../options/criterion.js';
import type { InvariantViolation } from '../options/invariant.js';
import type { CycleEntry } from './cycle-entry.js';
import type { Round } from './oscillation.js';

/** A proposal on its way into the facts. */
export interface Queued {
  readonly proposal: Proposal;
  readonly by: string;
  /** Set when a person has let it pass. */
  readonly approval?: FactApproval;
  /** The gate that it passed, to be opened again if what the person wrote cannot be. */
  readonly passed?: OpenGate;
}

/** A gate that waits for a person. */
export interface OpenGate {
  readonly gateId: string;
  readonly ref: string;
  readonly proposal: Proposal;
  readonly by: string;
  /** The place of the gate among the options. */
  readonly policy: number;
  readonly summary: string;
  readonly cycle: number;
  /** 0 for the first, then one for each escalation. */
  readonly level: number;
  /** How often it was opened before: for an answer that could not be used, or with another content. */
  readonly reopened: number;
  /** Counts the gates of a run in the order of their opening. */
  readonly place: number;
  readonly deadline?: number;
}

/** The decision at a gate. */
export interface GateRecord {
  readonly gateId: string;
  readonly ref: string;
  readonly cycle: number;
  readonly decision: 'approved' | 'modified' | 'rejected' | 'escalated' | 'reopened';
  /** True when nobody answered and the deadline decided. */
  readonly expired: boolean;
  readonly by?: string;
  readonly reason?: string;
  readonly at: string;
}

/** A suggestor that returned no proposals because it failed or refused. */
export interface SuggestorFailure {
  readonly cycle: number;
  readonly suggestor: string;
  readonly refused?: string;
  readonly error?: ErrorData;
  /** How the unit ended that it runs. */
  readonly termination?: Ending;
  readonly path?: string;
}

/** The result of one merge. */
export interface CycleRecord {
  readonly cycle: number;
  readonly promoted: readonly string[];
  readonly rejected: number;
  readonly root: string;
}

/** Where the loop is: about to merge, with suggestors at work, or waiting for people. */
export type Phase = 'merging' | 'suggesting' | 'deciding';

export interface ConvergenceState {
  readonly phase: Phase;
  readonly cycle: number;
  readonly facts: FactLog;
  /** The input, until the first merge has made facts of it. */
  readonly unseeded: { readonly input: JsonValue | undefined } | null;
  /** The proposals of the next merge. */
  readonly queue: readonly Queued[];
  /** The merge that this process has made of the queue, so that its entry need not be merged again. Nothing depends on it. */
  readonly merging: { entry: CycleEntry | undefined; facts: FactLog | undefined };
  /** Proposals that came in the meantime, for the merge after that. */
  readonly incoming: Log<Queued>;
  readonly awake: readonly string[];
  /** How many of those have been heard in this cycle. */
  readonly returned: number;
  /** Observations of suggestors that returned before one that was asked earlier, such as one that waits for a person. */
  readonly early: readonly MachineObservation[];
  /** The suggestors of this cycle whose failure ends the run. */
  readonly failed: readonly SuggestorFailure[];
  readonly failures: Log<SuggestorFailure>;
  /** Keys with new facts since suggestors were last woken. */
  readonly dirty: readonly string[];
  /** Suggestors with rejected proposals since then. */
  readonly rebuffed: readonly string[];
  readonly gates: readonly OpenGate[];
  /** How many gates were opened so far. */
  readonly opened: number;
  readonly gateRecords: Log<GateRecord>;
  readonly rejections: Log<ProposalRejection>;
  /** Contents that were rejected or changed at gates, by reference. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** How often each invariant was left to be repaired. */
  readonly repairs: ReadonlyMap<string, number>;
  /** Semantic rules are asked again although nothing is new, because the run had ended with a violation. */
  readonly recheck: boolean;
  readonly unrepaired: readonly InvariantViolation[];
  readonly settlements: readonly CriterionSettlement[];
  readonly criteria: readonly CriterionVerdict[];
  readonly cycles: Log<CycleRecord>;
  readonly rounds: readonly Round[];
  readonly budgets: ReadBudgets;
  readonly tokens: number;
  readonly costUsd: number;
  /** True as soon as some of the usage was guessed. */
  readonly estimated: boolean;
  readonly activeMs: number;
  readonly lastAt: number;
  readonly ending: Ending | null;
  /** The causes that lost against the ending, or against the gates that are open. */
  readonly also: readonly Ending[];
  readonly output: JsonValue | undefined;
  readonly outputMade: boolean;
  /** The first cycle whose entry says another root than its facts have. */
  readonly forged: number | null;
}

/** A state that is being made. */
export type Draft = { -readonly [K in keyof ConvergenceState]: ConvergenceState[K] };
