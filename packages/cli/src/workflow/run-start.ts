import type { JournalEntry } from 'fullstop/journal';

/** The inputs, files and options of the run of a workflow file. */
export interface RunStart {
  readonly inputs: string;
  readonly source: { readonly file: string };
  readonly options: { readonly lenient: boolean; readonly skipGates: boolean; readonly confine?: boolean };
}

/** Reads the first entry of a run that is known to be one of a workflow file. */
export function readRunStart([first]: readonly JournalEntry[]): RunStart {
  return (first as JournalEntry<'run_started'>).data.input as unknown as RunStart;
}
