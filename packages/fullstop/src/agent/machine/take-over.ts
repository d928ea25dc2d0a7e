import { added } from '../../run/log.js';
import type { MachineObservation } from '../../run/machine/machine.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import { enterPhase } from './phases.js';
import { directivesOf, keepResults, observeResults, skipRest } from './round.js';
import type { AgentRules } from './rules.js';
import type { Call, ChildRecord, Draft, ToolOutcome } from './state.js';
import type { UnitDetails } from './unit-outcome.js';
import { noFacts, weigh } from './weigh.js';

/** True for a call that hands the conversation over. */
export function isHandOff({ tools }: AgentRules, { tool }: Call): boolean {
  return tools.get(tool)?.handsOff === true;
}

interface FinishedCall {
  readonly call: Call;
  readonly before: Call;
  readonly observation: MachineObservation;
}

/** True when a call that got its result ends the round because of a hand-off: it was one, or its tool stops the run before one. */
export function endsWithHandOff(draft: Draft, rules: AgentRules, { call, before, observation }: FinishedCall): boolean {
  if (observation.type === 'unit' && before.handsOff === true) {
    const { isNull = false } = (observation.result.output ?? {}) as Partial<UnitDetails>;
    takeOver(draft, rules, call, isNull);
    return true;
  }
  const isStopped = directivesOf(draft.round).length > 0;
  const left = draft.round.filter(({ stage }) => stage !== 'done');
  if (isStopped && left.length > 0 && left.every((each) => isHandOff(rules, each)))
    skipRest(draft, 'This call was not made: another call of the same answer ended the run.');
  return false;
}

/** The agent that took over has ended, and the run with it: one ending, its output and its answer. What else would have ended it is in `also`. */
function takeOver(draft: Draft, rules: AgentRules, call: Call, isNull: boolean): void {
  const outcome = call.outcome as ToolOutcome & { readonly child: ChildRecord };
  const child: ChildRecord = { ...outcome.child, tookOver: true };
  draft.round = draft.round.map((each) => (each.id === call.id ? { ...each, outcome: { ...outcome, child } } : each));
  keepResults(draft);
  if (child.text !== '') draft.messages = added(draft.messages, { role: 'assistant', content: child.text });
  weigh(draft, rules, 'after_tools', { ...noFacts, calls: observeResults(draft, rules) });
  const lost: readonly Ending[] = draft.ending === null ? [] : [draft.ending, ...draft.also];
  draft.ending = child.termination;
  draft.also = [...child.also, ...lost];
  draft.text = child.text;
  draft.hasOutput = isNull || (child.output !== undefined && child.output !== null);
  draft.output = (child.output ?? null) as JsonValue | null;
  draft.takenOver = true;
  enterPhase(draft, 'judging_iteration');
}
