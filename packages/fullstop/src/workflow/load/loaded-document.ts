import type { LoadedFile } from '../graph/loaded-file.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { WorkflowProblem } from '../source/problem.js';
import type { StepTypeRow } from '../steps/step-type.js';

/** A workflow file that was read and checked. */
export interface LoadedDocument extends LoadedFile<StepTypeRow> {
  child(workflow: string): LoadResult;
}

export type LoadResult =
  | { readonly ok: true; readonly loaded: LoadedDocument }
  | { readonly ok: false; readonly problems: readonly WorkflowProblem[] };

export interface LoadOptions {
  readonly file: string;
  /** The text, when it is known already. */
  readonly text?: string;
  /** Reads another file by absolute path and throws when it cannot; the file system unless given. */
  readonly readFile?: (path: string) => string;
  /** The values of `${NAME}`; the environment of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Only problems of YAML and schema stop; the others become warnings. */
  readonly lenient?: boolean;
}

/** The types of step that a file may use. */
export type StepTypes = StepTable<StepTypeRow>;
