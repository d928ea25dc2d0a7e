import type { StepAnalysis } from '../analyze/meaning.js';
import { type Edge, routedEdges } from '../graph/edge.js';
import type { ObservedStep, Program, StepMachine } from '../machine/program.js';
import type { Draft } from '../machine/state.js';
import { applyResult } from '../machine/step-result.js';
import type { Step } from '../schema/document.js';
import type { ErrorRoute, Route } from '../schema/record-types.js';

interface RoutedStep {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly on_error: readonly ErrorRoute[];
}

/** The graph of a step that continues by its routes and runs no other file. */
export const routedGraph = {
  edges: (step: RoutedStep): readonly Edge[] => routedEdges(step),
  runsFile: (): undefined => undefined,
};

/** The analysis of a step that asks nobody and says nothing about its output; how it is drawn is up to its type. */
export const quietAnalysis: Omit<StepAnalysis<unknown>, 'draw'> = {
  asks: () => [],
  waitsForPerson: () => undefined,
  outputFields: () => undefined,
  endsWorkflow: () => undefined,
  targets: () => [],
  groupTexts: () => [],
  refusedInGroup: undefined,
  check: () => undefined,
};

/** The machine of a step whose output is kept and routed, without a time limit of its own. */
export const usualMachine: Omit<StepMachine<unknown>, 'effect'> = {
  isAnnounced: true,
  asksModel: false,
  limitMs: () => undefined,
  apply: (draft: Draft, program: Program, observed: ObservedStep<unknown>) =>
    applyResult(draft, program, observed as ObservedStep<Step>),
};
