import type { LiveRun } from '../../run/machine/live-runs.js';
import type { AgentState } from '../machine/state.js';
import { announceChange } from './live-channel.js';

/** A live run whose followers in this process are notified of every state. */
export function announcedRun(runId: string): LiveRun<AgentState> {
  return { state: undefined, onState: () => announceChange(runId) };
}
