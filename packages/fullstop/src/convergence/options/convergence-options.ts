import type { ConvergenceBudgets } from '../../run/changes/budgets.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import type { Ending } from '../../termination/ending.js';
import type { Proposal } from '../facts/fact.js';
import type { FactView } from '../facts/fact-view.js';
import type { FactSnapshot } from '../facts/snapshot.js';
import type { ConvergenceIntent } from './criterion.js';
import type { FactFamily } from './family.js';
import type { Gate } from './gate.js';
import type { Invariant } from './invariant.js';
import type { PromotionGate } from './promotion-gate.js';
import type { AnySuggestor } from './suggestor.js';

/** When a run that goes round in circles of at most 8 cycles is stopped. */
export interface OscillationOptions {
  /** So many rounds of nothing but the same rejections; 3 unless given. */
  readonly rejections?: number;
  /** So many rounds of the same two or more contents under new ids; 5 unless given. */
  readonly contents?: number;
}

/** Everything that defines a convergence: suggestors, invariants, gates, criteria and budgets. */
export interface ConvergenceOptions {
  /** `convergence` unless given. Workers and resumes find the definition by it. */
  readonly name?: string;
  /** Which code wrote the journal; '1' unless given. */
  readonly version?: string;
  /** Asked in this order; their proposals are merged in this order too, whoever comes back first. */
  readonly suggestors: readonly AnySuggestor[];
  /** Facts that every run starts with. */
  readonly facts?: readonly Proposal[];
  /** Makes the facts to start with out of the input; without it the input is `{ facts?, snapshot? }`. */
  readonly seed?: (input: never) => readonly Proposal[] | Promise<readonly Proposal[]>;
  readonly families?: readonly FactFamily[];
  /** The order of keys where facts are listed by key; other keys may be used too. */
  readonly keys?: readonly string[];
  readonly intent?: ConvergenceIntent;
  readonly invariants?: readonly Invariant[];
  /** Rules that proposals have to pass to become facts, beside the built-in checks. */
  readonly promotionGates?: readonly PromotionGate[];
  /** Where a person has to decide; the first gate that wants a proposal has it. */
  readonly gates?: readonly Gate[];
  /** Whether suggestors continue while gates are open; `wait` unless given. */
  readonly whileOpen?: 'wait' | 'continue';
  readonly budgets?: ConvergenceBudgets;
  /** How many suggestors work at once; all unless given. */
  readonly concurrency?: number;
  /** The effect of a proposal under a taken id with other content: noted (`reject`), or the end of the run (`end`). */
  readonly onConflict?: 'reject' | 'end';
  readonly oscillation?: false | OscillationOptions;
  /** The output of the run, made when it ends; `{ cycles, facts, root }` unless given. */
  readonly output?: (facts: FactView) => unknown;
  readonly customTags?: readonly string[];
  readonly treatAsSuccess?: (termination: Ending) => boolean;
  readonly secrets?: Secrets;
  /** How long cancelled work may take to unwind; 5,000 unless given. */
  readonly graceMs?: number;
  readonly onEnding?: readonly string[];
}

/** The input of a run where there is no `seed`. */
export interface ConvergenceInput {
  readonly facts?: readonly Proposal[];
  /** Continues from the facts of an earlier run. */
  readonly snapshot?: FactSnapshot;
}

/** The output of a run without an `output` of its own. */
export interface ConvergenceSummary {
  readonly cycles: number;
  readonly facts: number;
  /** The root over all facts. */
  readonly root: string;
}
