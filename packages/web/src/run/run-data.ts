import type { RunView } from '../../../cli/src/dashboard/view/run-view.js';
import type { RunRow } from '../api/contract.js';

/** The body of a run, as the API sends it. */
export type RunBody = RunView & { readonly row: RunRow };

/** The address of something of a run in the API. */
export function runPath(runId: string, rest = ''): string {
  return `/api/runs/${encodeURIComponent(runId)}${rest}`;
}

/** Puts what is new after what the page has; a body that does not follow on it stands for itself. */
export function merged(before: RunBody | undefined, next: RunBody, after: number): RunBody {
  if (before === undefined || after === 0 || before.head.seq !== after) return next;
  return { ...next, transitions: [...before.transitions, ...next.transitions] };
}
