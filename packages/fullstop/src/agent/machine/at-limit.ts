import type { AtLimit, MachineObservation } from '../../run/machine/machine.js';
import { category } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { finishAnswer } from './answer.js';
import { applyTool } from './apply-tool.js';
import { draftOf } from './draft.js';
import { closeIteration, unasked } from './iteration.js';
import { applyCallJudgement, finishRound, isStopped, stopRound } from './round.js';
import type { AgentRules } from './rules.js';
import type { AgentState, Draft } from './state.js';

/**
 * What becomes of an agent when a limit is about to end it from outside. A goal that only waits for its round, or for a verdict, is
 * reached: then the round is stopped and weighed like any other. So is an ending that only a hook is still to hear of.
 */
export function atLimit(
  state: AgentState,
  rules: AgentRules,
  limit: Ending,
  come: readonly MachineObservation[],
): AtLimit | undefined {
  if (state.ending !== null) return { type: 'stop', reached: state.ending };
  // Who takes the conversation over decides how it ends.
  if (state.round.some(({ handsOff, stage }) => handsOff === true && stage !== 'done')) return undefined;
  const draft = draftOf(state);
  try {
    finish(draft, rules, limit, come);
  } catch {
    return undefined;
  }
  const { ending } = draft;
  return ending !== null && isGoal(ending) ? { type: 'stop', reached: ending } : undefined;
}

/** Comes to the ending that there would be if nothing more came and nobody objected. */
function finish(draft: Draft, rules: AgentRules, limit: Ending, come: readonly MachineObservation[]): void {
  if (draft.phase === 'tools') {
    draft.limit = limit;
    finishCalls(draft, rules, come);
    // A call that halts the run stops the round by itself.
    if (isStopped(draft.round)) return;
  }
  if (draft.ending !== null) return;
  if (draft.phase === 'judging_call') applyCallJudgement(draft, rules, unasked);
  else if (draft.phase === 'judging_tools') finishRound(draft, rules, unasked);
  else if (draft.phase === 'judging_answer') finishAnswer(draft, rules, unasked);
  else if (draft.phase === 'judging_iteration') closeIteration(draft, rules, unasked);
}

function finishCalls(draft: Draft, rules: AgentRules, come: readonly MachineObservation[]): void {
  for (const observation of come) if (draft.phase === 'tools') applyTool(draft, rules, observation);
  if (draft.phase === 'tools' && draft.ending === null && !isStopped(draft.round)) stopRound(draft, rules);
}

function isGoal(ending: Ending): boolean {
  try {
    return category(ending as AnyTermination) === 'success';
  } catch {
    return false;
  }
}
