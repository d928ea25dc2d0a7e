import type { Secrets } from '../../run/secrets/secrets.js';
import type { LoadedFile } from '../graph/loaded-file.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { WorkflowProblem } from '../source/problem.js';
import type { StepTypeRow } from '../steps/step-type.js';

/** A workflow file that was read and checked. */
export interface LoadedDocument extends LoadedFile<StepTypeRow> {
  child(workflow: string): LoadResult;
}

/** A document that was loaded, or the problems that kept it from being loaded. */
export type LoadResult =
  | { readonly ok: true; readonly loaded: LoadedDocument }
  | { readonly ok: false; readonly problems: readonly WorkflowProblem[] };

/** Options of loading a workflow document. */
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
  /** Reads nothing outside of the folder of the file, links followed. */
  readonly confine?: boolean;
  /** Values that problems must not show, besides variables that are secret by their names. */
  readonly secrets?: Secrets;
  /** Fills in the names of secrets instead of their values: for a document that is shown and never run. */
  readonly masked?: boolean;
}

/** The types of step that a file may use. */
export type StepTypes = StepTable<StepTypeRow>;
