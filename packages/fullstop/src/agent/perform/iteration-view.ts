import type { ModelMessage } from '../../models/message.js';
import type { StepAttempt } from '../../run/run-context.js';
import type { AgentState } from '../machine/state.js';
import type { IterationView } from '../options/hooks.js';
import { hookView, type RunFacts } from './run-facts.js';
import { snapshotOf, withMessages } from './snapshot.js';

interface ViewedFrom {
  readonly state: AgentState;
  readonly facts: RunFacts;
  /** The step that the hook is asked in, if there is one. */
  readonly attempt?: StepAttempt;
}

/** The view of a hook: where the run is, what it used, its conversation, and what the hook sees besides. */
export function iterationView<TMore extends object>(
  { state, facts, attempt }: ViewedFrom,
  more: TMore,
): TMore & IterationView & { readonly messages: readonly ModelMessage[] } {
  const view = { iteration: state.counts.iterations + 1, ...spentBy(state), ...more };
  return withMessages(hookView(view, facts, attempt), () => snapshotOf(state.messages));
}

/** The usage and cost of a run so far, as views show them. */
export function spentBy({
  usage,
  costUsd,
  estimated,
}: AgentState): Pick<IterationView, 'usage' | 'costUsd' | 'estimated'> {
  return { usage: Object.freeze({ ...usage }), costUsd, ...(estimated && { estimated }) };
}
