import type { Banner } from '../../../cli/src/dashboard/view/banner.js';
import { unpackTransitions } from '../../../cli/src/dashboard/view/packed-transitions.js';
import type { RunView } from '../../../cli/src/dashboard/view/run-view.js';
import type { Transition } from '../../../cli/src/dashboard/view/transitions.js';
import type { RunRow } from '../api/contract.js';

/** The body of a run, as the API sends it. */
export type SentRun = RunView & { readonly row: RunRow };

/** The part of a run that is sent before its journal is read. */
export interface RunHeadView {
  readonly row: RunRow;
  readonly banner: Banner;
}

/** A run as the page has it. */
export type RunBody = Omit<SentRun, 'transitions'> & { readonly transitions: readonly Transition[] };

/** The address of something of a run in the API. */
export function runPath(runId: string, rest = ''): string {
  return `/api/runs/${encodeURIComponent(runId)}${rest}`;
}

/** Puts what is new after what the page has; a body that does not follow on it stands for itself. */
export function merged(before: RunBody | undefined, sent: SentRun, after: number): RunBody {
  const next = { ...sent, transitions: unpackTransitions(sent.transitions) };
  if (before === undefined || after === 0 || before.head.seq !== after) return next;
  return { ...next, transitions: [...before.transitions, ...next.transitions] };
}
