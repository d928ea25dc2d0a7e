import type { JournalEntry } from 'fullstop/journal';

/** True when the files of a workflow are in the first entry: then the store has everything that is needed to execute it. */
export function isWorkflowRun([first]: readonly JournalEntry[]): boolean {
  const input = first?.type === 'run_started' ? first.data.input : undefined;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  const { source, inputs } = input as { readonly source?: unknown; readonly inputs?: unknown };
  return typeof source === 'object' && source !== null && typeof inputs === 'string';
}
