import type { WorkflowDocument } from '../schema/document.js';
import type { DocumentPath, Problem } from '../source/problem.js';
import type { Place } from '../source/yaml-node.js';

/** A workflow file that was read and checked. */
export interface LoadedDocument {
  readonly document: WorkflowDocument;
  /** The text of the file, before `${ENV}` and `!file`. */
  readonly source: string;
  readonly file: string;
  /** Every text that was read so far, by absolute path: the file itself, what it includes and its sub-workflows. */
  readonly files: Readonly<Record<string, string>>;
  readonly warnings: readonly Problem[];
  /** Where a value stands; the nearest value around it when the path leads nowhere. */
  locate(path: DocumentPath): Place;
  /** Where a line and column inside a text stand, both counted from 1. */
  locateInText(path: DocumentPath, spot: Pick<Place, 'line' | 'column'>): Place;
  /** The sub-workflow that a step names, relative to this file; read once, with the same options. */
  child(workflow: string): LoadResult;
}

export type LoadResult =
  | { readonly ok: true; readonly loaded: LoadedDocument }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface LoadOptions {
  readonly file: string;
  /** The text, when it is known already. */
  readonly text?: string;
  /** Reads another file by absolute path and throws when it cannot; the file system unless given. */
  readonly readFile?: (path: string) => string;
  /** What `${NAME}` means; the environment of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Only problems of YAML and schema stop; the others become warnings. */
  readonly lenient?: boolean;
}
