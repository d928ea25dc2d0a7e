/** The files of a workflow as they were when its run began, before `${ENV}`. */
export interface StoredSource {
  readonly file: string;
  /** SHA-256 over all files: two runs with the same hash ran the same workflow. */
  readonly hash: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The input of a run of a workflow, as it is in the journal. */
export interface WorkflowRunInput {
  /** JSON text, so that `1.0` stays `1.0`. */
  readonly inputs: string;
  readonly source: StoredSource;
  readonly options: StoredOptions;
}

export interface StoredOptions {
  readonly lenient: boolean;
  readonly skipGates: boolean;
  /** Nothing outside of the file's folder is read. */
  readonly confine?: boolean;
  readonly maxIterations: number;
  /** The budget of the file when the run began; runs of older versions have none here. */
  readonly budgetUsd?: number | null;
  /** The sub-workflow that the run is, by the names of files from one to the next; absent for the workflow itself. */
  readonly inside?: readonly string[];
}
