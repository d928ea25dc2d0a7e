import type { AnalysisRow, StepAnalysis } from '../analyze/meaning.js';
import type { EventsRow, StepEvents } from '../events/event-writer.js';
import type { StepGraph } from '../graph/document-graph.js';
import type { StepMachine } from '../machine/program.js';
import type { PerformRow, RecordPerformer, StepWork, UnitPerformer } from '../perform/runtime.js';
import type { StepShape } from '../schema/steps/step-shape.js';

/** Everything about one type of step; a part that is missing does not compile. */
export type StepType<S extends { readonly type: string }> = StepParts<S> & StepBehavior<S>;

interface StepParts<S extends { readonly type: string }> {
  /** Its form in a file, with its documentation. */
  readonly shape: StepShape<S>;
  /** Where it leads. */
  readonly graph: StepGraph<S>;
  /** The facts that are known before it runs, and its drawing. */
  readonly analysis: StepAnalysis<S>;
  /** How it is shown while it runs. */
  readonly progress: StepProgress;
  /** Its events in the log of the reference. */
  readonly events: StepEvents;
}

/** The words of a step while it runs. */
export interface StepProgress {
  /** True when it is news that it completed, as of a flow of its own; of other steps it is not. */
  readonly showsCompletion: boolean;
}

/** The effect that the machine asks for goes with the performer that can do it. */
type StepBehavior<S> =
  | { readonly machine: StepMachine<S, 'record'>; readonly performer: RecordPerformer<S> }
  | { readonly machine: StepMachine<S, 'step'>; readonly performer: StepWork<S> }
  | { readonly machine: StepMachine<S, 'unit'>; readonly performer: UnitPerformer<S> };

/** A row of the table of step types, which its readers use for whatever step is of its type. */
export interface StepTypeRow extends AnalysisRow, PerformRow, EventsRow {
  readonly progress: StepProgress;
}

/** Makes a row of a step type: the table hands it only steps of that type. */
export function stepTypeRow<S extends { readonly type: string }>(type: StepType<S>): StepTypeRow {
  return type as unknown as StepTypeRow;
}
