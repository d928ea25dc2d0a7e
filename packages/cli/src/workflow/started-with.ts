import type { JournalEntry } from 'fullstop/journal';

/** What the run of a workflow file was started with. */
export interface Started {
  readonly inputs: string;
  readonly source: { readonly file: string };
  readonly options: { readonly lenient: boolean; readonly skipGates: boolean };
}

/** Reads the first entry of a run that is known to be one of a workflow file. */
export function startedWith([first]: readonly JournalEntry[]): Started {
  return (first as JournalEntry<'run_started'>).data.input as unknown as Started;
}
