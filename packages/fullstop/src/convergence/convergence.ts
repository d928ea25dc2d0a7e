import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { ConvergenceBudgets } from '../run/changes/budgets.js';
import type { RunDefinition } from '../run/define-run.js';
import type { RunContext, RunEnd } from '../run/run-context.js';
import type { ResumeOptions, RunOptions } from '../run/run-options.js';
import type { Secrets } from '../run/secrets/secrets.js';
import type { EndingOfKind } from '../stop/condition.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { AnyTermination } from '../termination/kinds.js';
import type { Proposal } from './facts/fact.js';
import type { FactView } from './facts/fact-view.js';
import type { InclusionProof } from './facts/inclusion-proof.js';
import type { ProposalRejection } from './facts/rejection.js';
import type { FactSnapshot } from './facts/snapshot.js';
import type { BudgetKinds } from './kinds.js';
import type { FactExplanation } from './machine/explain.js';
import type { CycleRecord, GateRecord, SuggestorFailure } from './machine/state.js';
import type { CriterionSettlement, CriterionVerdict } from './options/criterion.js';

/** How a convergence ended, with all that it found out. */
export interface ConvergenceResult<TEnding extends Ending = AnyTermination, TOutput = unknown>
  extends Omit<Envelope<TEnding>, 'output'> {
  readonly output?: TOutput;
  readonly facts: FactView;
  /** The root over all facts, and how many there are. */
  readonly root: string;
  /** The result of each merge, the inputs first. */
  readonly cycles: readonly CycleRecord[];
  readonly rejections: readonly ProposalRejection[];
  /** The decisions of people, and of deadlines. */
  readonly gates: readonly GateRecord[];
  readonly criteria: readonly CriterionVerdict[];
  readonly settlements: readonly CriterionSettlement[];
  /** Suggestors that failed or refused, those that are optional too. */
  readonly failures: readonly SuggestorFailure[];
  /** The proof that a fact belongs to the root, by its reference. */
  prove(ref: string): InclusionProof | undefined;
  /** Which proposals and facts led to a fact. */
  explain(ref: string): FactExplanation | undefined;
  /** The facts as JSON, for another run to continue from. */
  snapshot(): FactSnapshot;
  /** Continues where it stopped, on the same engine. */
  resume<const TBudgets extends ConvergenceBudgets = Record<never, never>>(
    options?: Omit<ConvergenceResumeOptions<TBudgets>, 'engine'>,
  ): Promise<ConvergenceResult<TEnding | EndingOfKind<BudgetKinds<TBudgets>>, TOutput>>;
  journal(): Promise<readonly JournalEntry[]>;
}

/** Changes that a resume of a convergence brings: budgets, further facts, settled criteria. */
export interface ConvergenceResumeOptions<TBudgets extends ConvergenceBudgets = ConvergenceBudgets>
  extends Pick<
    ResumeOptions,
    'answers' | 'deadlines' | 'by' | 'signal' | 'onPause' | 'onlyAfter' | 'alwaysReplay' | 'onEntry'
  > {
  readonly engine: Engine;
  /** Larger budgets; counters continue, so each is the total. */
  readonly budgets?: TBudgets;
  /** Facts to add before it continues. */
  readonly facts?: readonly Proposal[];
  /** References that a person has settled, for criteria that were blocked. */
  readonly settled?: readonly string[];
  readonly note?: string;
}

/** How a convergence inside another run ended. */
export interface ConvergenceEnd<TOutput> extends RunEnd<Ending> {
  readonly output?: TOutput;
}

/** A convergence that can be run, resumed, executed by workers and run inside other runs. */
export interface Convergence<TInput = unknown, TEnding extends Ending = AnyTermination, TOutput = unknown>
  extends RunnableDefinition,
    Pick<RunDefinition<TInput, TEnding, TOutput>, 'abandon'> {
  /** Starts a run and returns its ending. Never rejects once the run has started. */
  run(
    ...given: undefined extends TInput ? [input?: TInput, options?: RunOptions] : [input: TInput, options?: RunOptions]
  ): Promise<ConvergenceResult<TEnding, TOutput>>;
  resume<const TBudgets extends ConvergenceBudgets = Record<never, never>>(
    runId: string,
    options: ConvergenceResumeOptions<TBudgets>,
  ): Promise<ConvergenceResult<TEnding | EndingOfKind<BudgetKinds<TBudgets>>, TOutput>>;
  /** The latest ending, if there is one. */
  result(runId: string, options: { readonly engine: Engine }): Promise<ConvergenceResult<TEnding, TOutput> | undefined>;
  /** Runs it as a unit inside another run; its output is the output of the convergence. */
  within(context: RunContext, input: TInput): Promise<ConvergenceEnd<TOutput>>;
  /** The definitions of kinds that the units of its suggestors brought along. */
  readonly terminations: readonly AnyTerminationDefinition[];
  /** The secrets that it and the units of its suggestors seal: its parent seals them too. */
  readonly secrets?: Secrets;
  /** The kinds that it can end with. */
  readonly kinds: readonly string[];
}
