import type { DocumentGraph, GraphRow } from '../graph/document-graph.js';
import type { FileResult } from '../graph/loaded-file.js';
import type { Step, WorkflowDocument } from '../schema/document.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { DocumentPath, Report } from '../source/problem.js';
import type { MapNode } from '../source/yaml-node.js';

/** The document that the checks of meaning work on, with all they need. */
export interface Meaning {
  readonly document: WorkflowDocument;
  readonly root: MapNode;
  readonly report: Report;
  readonly steps: StepTable<AnalysisRow>;
  readonly graph: DocumentGraph;
  readonly names: DocumentNames;
  /** The files that lead here through sub-workflow steps, this one last; absolute paths. */
  readonly chain: readonly string[];
  readonly readFile: (path: string) => string;
  readonly child: (workflow: string) => FileResult<AnalysisRow>;
}

export interface DocumentNames {
  readonly steps: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  /** Steps and groups. */
  readonly all: readonly string[];
  has(name: string): boolean;
  readonly inputs: readonly string[];
}

/** A check reports what it finds. */
export type Check = (meaning: Meaning) => void;

/** The part of a step type that the analysis reads. */
export interface AnalysisRow extends GraphRow {
  readonly analysis: StepAnalysis<Step>;
}

/** The facts about the steps of one type before they run. */
export interface StepAnalysis<S> {
  /** The things that such a step asks a person for. */
  asks(step: S): readonly ('decision' | 'answer')[];
  /** How long it waits for a person; undefined when waiting is not what it is there for. */
  waitsForPerson(step: S): 'forever' | 'until a deadline' | undefined;
  /** The fields that its output has, if it says. */
  outputFields(step: S): readonly string[] | undefined;
  /** How it ends the workflow; undefined when it does not. */
  endsWorkflow(step: S): ExplicitEnd | undefined;
  /** Where it leads besides its routes: each name with its path below the step. */
  targets(step: S): readonly { readonly to: string; readonly path: DocumentPath }[];
  /** Its texts that must not use other members of its parallel group; the declared inputs are checked for all types. */
  groupTexts(step: S): readonly string[];
  /** The words for such a step in the message that no parallel group can contain it; undefined when one can. */
  readonly refusedInGroup: string | undefined;
  draw(step: S): Drawing;
  /** Reports what else is wrong with such a step. */
  check(meaning: Meaning, step: S, path: DocumentPath): void;
}

/** The ways in which a step ends the workflow. */
export interface ExplicitEnd {
  readonly statuses: readonly ('success' | 'failed')[];
  /** True when the output of the workflow is rendered then. */
  readonly usesWorkflowOutput: boolean;
}

/** The box of a step in a drawing. */
export interface Drawing {
  readonly box: 'rectangle' | 'round' | 'diamond' | 'slanted' | 'hexagon';
  readonly label: string;
  /** The line below its name where there is room for one; its type unless given. */
  readonly caption?: string;
  readonly look?: 'success' | 'failed';
}

/** Every step of a document with its path, those of for_each groups last. */
export function stepsWithPaths({
  agents,
  for_each: groups,
}: WorkflowDocument): readonly (readonly [Step, DocumentPath])[] {
  return [
    ...agents.map((step, index) => [step, ['agents', index]] as const),
    ...groups.map(({ agent }, index) => [agent, ['for_each', index, 'agent']] as const),
  ];
}
