import type { WorkflowDocument } from '../schema/document.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { DocumentPath, WorkflowProblem } from '../source/problem.js';
import type { Place } from '../source/yaml-node.js';
import type { DocumentGraph } from './document-graph.js';

/** A workflow file that was read and checked; `Row` is what its reader asks of a step type. */
export interface LoadedFile<Row> {
  readonly document: WorkflowDocument;
  /** The text of the file, before `${ENV}` and `!file`. */
  readonly source: string;
  readonly file: string;
  /** Every text that was read so far, by absolute path: the file itself, what it includes and its sub-workflows. */
  readonly files: Readonly<Record<string, string>>;
  readonly warnings: readonly WorkflowProblem[];
  /** The types of step that the file may use. */
  readonly steps: StepTable<Row>;
  readonly graph: DocumentGraph;
  /** The place of a value; that of its nearest parent when the path leads nowhere. */
  locate(path: DocumentPath): Place;
  /** The place of a line and column inside a text, both counted from 1. */
  locateInText(path: DocumentPath, spot: Pick<Place, 'line' | 'column'>): Place;
  /** The sub-workflow that a step names, relative to this file; read once, with the same options. */
  child(workflow: string): FileResult<Row>;
}

export type FileResult<Row> =
  | { readonly ok: true; readonly loaded: LoadedFile<Row> }
  | { readonly ok: false; readonly problems: readonly WorkflowProblem[] };
