import type { RunState } from '../port/engine.js';

/** The receipt for a wish to cancel a run in this state; undefined stands for a run that does not exist. */
export function receiveCancel(state: RunState | undefined): 'requested' | 'ended' | 'unknown' {
  if (state === undefined) return 'unknown';
  return state === 'ended' ? 'ended' : 'requested';
}
