import type { LiveRun } from '../../run/machine/live-runs.js';
import type { AgentState } from '../machine/state.js';
import type { FoundContext } from '../options/context-source.js';
import { announceChange } from './live-channel.js';

/** A live run of an agent, with its context or why there is none. */
export interface AgentRun extends LiveRun<AgentState>, FoundContext {}

/** A live run whose followers in this process are notified of every state. One literal: every step writes to it. */
export function announcedRun(runId: string, { context, failure }: FoundContext = {}): AgentRun {
  return { state: undefined, onState: () => announceChange(runId), context, failure };
}
