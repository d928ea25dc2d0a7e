import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { ConvergenceChanges } from '../run/changes/resume-changes.js';
import type { RunDefinition } from '../run/define-run.js';
import type { RunLimits } from '../run/limits.js';
import type { RunContext, RunEnd } from '../run/run-context.js';
import type { ResumeOptions, RunOptions } from '../run/run-options.js';
import type { Secrets } from '../run/secrets/secrets.js';
import type { Ending } from '../termination/ending.js';
import type { JsonObject, JsonValue } from '../termination/json.js';
import type { AnyTermination } from '../termination/kinds.js';
import type { LoadedDocument, LoadOptions } from './load/load-document.js';
import type { EnvironmentOptions, WorkflowInputs } from './perform/environment.js';
import type { WorkflowDocument } from './schema/document.js';

/** How a workflow file is loaded and what its steps get from the program around them. */
export interface LoadWorkflowOptions
  extends EnvironmentOptions,
    Pick<LoadOptions, 'confine' | 'text' | 'readFile' | 'lenient'> {}

/** Options of one run of a workflow. */
export interface WorkflowRunOptions extends RunOptions {
  /** Takes the first option of every gate and the default of every question. */
  readonly skipGates?: boolean;
  /** Instead of the limit in the file. */
  readonly maxIterations?: number;
}

/** Changes that a resume of a workflow brings: answers, limits, and those of the agent or convergence that stopped. */
export interface WorkflowResumeOptions
  extends Pick<
      ResumeOptions,
      'answers' | 'by' | 'signal' | 'onPause' | 'onlyAfter' | 'alwaysReplay' | 'onEntry' | 'deadlines' | 'limits' | 'at'
    >,
    ConvergenceChanges {
  readonly engine: Engine;
  /** The new limit as a total: of steps for a workflow, of iterations for an agent step that reached its own. */
  readonly maxIterations?: number;
  /** A message for the agent step that ended, before it continues. */
  readonly guidance?: string;
  /** A higher cap for the answers of the agent step that ended. */
  readonly settings?: { readonly maxOutputTokens?: number };
  /** How often the agent step that ended may correct its output, as a total. */
  readonly repair?: number;
  /** The new budget, as a total. */
  readonly budgetUsd?: number;
  /** The new time limit, as a total of active time. */
  readonly timeoutSeconds?: number;
  readonly skipGates?: boolean;
  /** Go on with the file as it is now, instead of as it was when the run began. */
  readonly useCurrent?: boolean;
}

/** How a run of a workflow ended, with what it did. */
export interface WorkflowResult<TEnding extends Ending = AnyTermination> extends Omit<Envelope<TEnding>, 'output'> {
  readonly output?: JsonValue;
  /** The final output as JSON text, where `1.0` and large integers are what they were. */
  readonly outputText?: string;
  /** The steps and groups that completed, in order. */
  readonly history: readonly string[];
  /** The observations on the way: steps, routes with their values, counters. */
  readonly observations: readonly JsonObject[];
  /** Goes on where it stopped, on the same engine. */
  resume(options?: Omit<WorkflowResumeOptions, 'engine'>): Promise<WorkflowResult<TEnding>>;
  journal(): Promise<readonly JournalEntry[]>;
}

/** A workflow file that can be run, resumed and executed by workers. */
export interface Workflow<TEnding extends Ending = AnyTermination>
  extends RunnableDefinition,
    Pick<RunDefinition<never, TEnding, JsonValue>, 'abandon'> {
  /** Starts a run and returns its ending. Never rejects once the run has started. */
  run(inputs?: WorkflowInputs, options?: WorkflowRunOptions): Promise<WorkflowResult<TEnding>>;
  resume(runId: string, options: WorkflowResumeOptions): Promise<WorkflowResult<TEnding>>;
  /** The latest ending, if there is one. */
  result(runId: string, options: { readonly engine: Engine }): Promise<WorkflowResult<TEnding> | undefined>;
  /** Runs it as a unit inside another run. */
  within(context: RunContext, inputs: WorkflowInputs): Promise<RunEnd<Ending>>;
  /** The limits in its file, also where it runs inside another run. */
  readonly limits?: RunLimits;
  /** It counts its own steps, also where it runs inside another run. */
  readonly countsSteps: true;
  /** The secrets that it seals: whatever it runs in seals them too. */
  readonly secrets?: Secrets;
  /** The kinds that it can end with at most. */
  readonly kinds: readonly string[];
  readonly document: WorkflowDocument;
  readonly loaded: LoadedDocument;
}
