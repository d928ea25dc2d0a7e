import type { MachineEffect, MachineObservation } from '../../run/machine/machine.js';
import type { UnitResult } from '../../run/run-context.js';
import type { GraphRow } from '../graph/document-graph.js';
import type { LoadedFile } from '../graph/loaded-file.js';
import type { Unit } from '../graph/unit.js';
import type { Step, WorkflowDocument } from '../schema/document.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { Draft } from './state.js';

/** A document made ready for the machine. */
export interface Program {
  readonly document: WorkflowDocument;
  readonly nodes: ReadonlyMap<string, Unit>;
  readonly steps: StepTable<MachineRow>;
  /** Whether the run keeps to what the reference does where ours is stricter or says more. */
  readonly lenient: boolean;
  /** How long the unit of a step may take, by the step itself or by the workflow that it runs. */
  timeLimitOf(step: Step): number | undefined;
}

/** The part of a step type that the machine reads. */
export interface MachineRow extends GraphRow {
  readonly machine: StepMachine<Step>;
}

/** How the machine treats the steps of one type. */
export interface StepMachine<S, E extends StepEffect = StepEffect> {
  /**
   * The effect that is asked of the performer: a `record` of templates alone (in a group it is a `step`, because in a group that
   * stops at the first failure only a step can be that failure), a `step`, or a `unit` with a scope of its own.
   */
  readonly effect: E;
  /** True when live progress shows such a step before it is over. */
  readonly isAnnounced: boolean;
  /** True for a step that asks a model. */
  readonly asksModel: boolean;
  /** How long its unit may take at most, in milliseconds. */
  limitMs(step: S, loaded: LoadedFile<MachineRow>): number | undefined;
  /** Takes in what came of such a step outside groups. */
  apply(draft: Draft, program: Program, observed: ObservedStep<S>): void;
  /** Takes in how its unit ended, alone or in a group, before its result counts. */
  applyUnit?(draft: Draft, ended: EndedUnit<S>): void;
}

export type StepEffect = Extract<MachineEffect<unknown>['type'], 'record' | 'step' | 'unit'>;

/** A step and what came of it. */
export interface ObservedStep<S = Step> {
  readonly step: S;
  readonly observation: MachineObservation;
}

/** The unit of a step that ended. */
export interface EndedUnit<S = Step> {
  readonly step: S;
  readonly path: string;
  readonly result: UnitResult;
}

export function programOf(loaded: LoadedFile<MachineRow>, lenient: boolean): Program {
  const { document, graph, steps } = loaded;
  return {
    document,
    nodes: graph.units,
    steps,
    lenient,
    timeLimitOf: (step) => steps.of(step).machine.limitMs(step, loaded),
  };
}
