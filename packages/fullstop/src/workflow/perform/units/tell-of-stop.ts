import { outcome } from '../../../termination/classify.js';
import type { Ending } from '../../../termination/ending.js';
import type { HookOutcome, WorkflowState } from '../../machine/state.js';
import { renderHook } from '../hook.js';
import type { Runtime } from '../runtime.js';

/** An ending as it was stored. */
interface Stopped {
  readonly termination: Ending;
  readonly persisted: boolean;
}

/** A run that was stopped, as far as this process has executed it. */
export interface StoppedRun {
  readonly runtime?: Runtime;
  readonly state: WorkflowState | undefined;
}

/**
 * Notifies `on_error` of an ending that the workflow did not reach by itself: the time limit, or somebody who cancelled it.
 * As in the reference a signal is no error, and the process has little time then.
 */
export async function tellOfStop({ runtime, state }: StoppedRun, { termination, persisted }: Stopped): Promise<void> {
  const template = runtime?.program.document.workflow.hooks?.on_error;
  if (runtime === undefined || template === undefined || state === undefined || wasNotified(state) || !persisted)
    return;
  const verdict = outcome(termination);
  const isSignal = termination.kind === 'cancelled' && 'by' in termination && termination.by === 'signal';
  if (isSignal || (verdict !== 'failed' && verdict !== 'cancelled')) return;
  await renderHook(runtime, { ...state, ending: termination }, { name: 'on_error', template });
}

/** Notifies `on_error` of a sub-workflow that its own time limit stopped; its ending is in the journal by then. */
export async function tellOfStoppedChild(parent: Runtime, { stopped }: WorkflowState): Promise<HookOutcome> {
  const [child] = stopped;
  const live = parent.children.get(child?.path ?? '');
  const state = live?.state();
  const template = live?.runtime.program.document.workflow.hooks?.on_error;
  // Another process may have run it, and where it was is not known here.
  if (child === undefined || live === undefined || state === undefined || template === undefined || wasNotified(state))
    return { name: 'on_error' };
  return renderHook(live.runtime, { ...state, ending: child.termination }, { name: 'on_error', template });
}

/** A workflow that was stopped may still have reached an ending of its own without notifying anyone. */
function wasNotified({ ending, hook }: WorkflowState): boolean {
  return ending !== null && hook === null;
}
