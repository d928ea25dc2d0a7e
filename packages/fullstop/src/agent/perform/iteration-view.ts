import type { ModelMessage } from '../../models/message.js';
import type { AgentState } from '../machine/state.js';
import type { IterationView } from '../options/hooks.js';
import { snapshotOf, withMessages } from './snapshot.js';

/** The view of a hook: where the run is, what it used, its conversation, and what the hook sees besides. */
export function iterationView<TMore extends object>(
  state: AgentState,
  more: TMore,
): TMore & IterationView & { readonly messages: readonly ModelMessage[] } {
  const { counts, usage, costUsd, messages } = state;
  const view = { iteration: counts.iterations + 1, usage: Object.freeze({ ...usage }), costUsd, ...more };
  return withMessages(view, () => snapshotOf(messages));
}
