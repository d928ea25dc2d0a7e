import type { StepTable } from './schema/steps/step-table.js';
import { builtInStepTypes } from './steps/built-in-step-types.js';
import type { StepTypeRow } from './steps/step-type.js';

/** The facts about a type of step that a display of a run needs. */
export interface StepTypeFacts {
  /** How it is in the journal: as a record, a step, or a unit with an ending of its own. */
  readonly effect: 'record' | 'step' | 'unit';
  /** True when it may end the workflow, which is observed apart from its outcome. */
  readonly endsWorkflow: boolean;
  /** True when it is news that it completed. */
  readonly showsCompletion: boolean;
}

/** Looks up a type of step; undefined for a type that the table has not. */
export function stepTypeFacts(
  type: string,
  steps: StepTable<StepTypeRow> = builtInStepTypes,
): StepTypeFacts | undefined {
  const row = steps.find(type);
  if (row === undefined) return undefined;
  const { shape, machine, progress } = row;
  return { effect: machine.effect, endsWorkflow: shape.endsWorkflow, showsCompletion: progress.showsCompletion };
}
