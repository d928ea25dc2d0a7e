import { type ReadBudgets, readBudgets } from '../../run/changes/budgets.js';
import { readChanges } from '../../run/changes/resume-changes.js';
import { instantOf } from '../../run/ending/pause.js';
import type { LimitChange } from '../../run/limits.js';
import { appendAll, emptyLog, itemsOf } from '../../run/log.js';
import type { SegmentOpening } from '../../run/machine/machine.js';
import { isObject, type JsonObject } from '../../termination/json.js';
import type { Proposal } from '../facts/fact.js';
import { startCycle, startMerge } from './apply-cycle.js';
import { draftOf } from './draft-of.js';
import type { ConvergenceState, Draft, Queued } from './state.js';

/** Limits of the unit that a convergence runs in are budgets of the convergence too. */
function withLimits(budgets: ReadBudgets, { limits }: JsonObject, path: string): ReadBudgets {
  const own = isObject(limits) ? limits[path] : undefined;
  if (!isObject(own)) return budgets;
  const { tokens = budgets.tokens, costUsd = budgets.costUsd, timeMs = budgets.timeMs } = own as LimitChange;
  const changed = { tokens, costUsd, timeMs };
  // Null takes a limit away.
  const kept = Object.entries(changed).filter(([, value]) => value !== undefined && value !== null);
  const { cycles, facts } = budgets;
  return { cycles, ...(facts !== undefined && { facts }), ...Object.fromEntries(kept) };
}

/** Continues in the next segment: what was recorded stands, new budgets hold from here on. */
export function resumeState(
  state: ConvergenceState,
  opening: SegmentOpening,
  { path, waitsAtGates }: { readonly path: string; readonly waitsAtGates: boolean },
): ConvergenceState {
  const draft = draftOf(state);
  const { budgets, facts = [], settled } = readChanges(opening.options, path);
  draft.budgets = withLimits(draft.budgets, opening.options, path);
  if (budgets !== undefined) draft.budgets = readBudgets(budgets, draft.budgets);
  if (settled !== undefined) {
    const { refs, note, by } = settled;
    const rest = { ...(note !== undefined && { note }), ...(by !== undefined && { by }), at: instantOf(opening.at) };
    draft.settlements = [...draft.settlements, ...refs.map((ref) => ({ ref, ...rest }))];
  }
  const given = facts.map((proposal): Queued => ({ proposal: proposal as Proposal, by: 'input' }));
  draft.incoming = appendAll(appendAll(emptyLog(), given), itemsOf(draft.incoming));
  // Without an ending of its own the loop was interrupted, and what was under way returns by itself.
  if (draft.ending === null && circleKinds.includes(opening.ending?.kind ?? '')) draft.rounds = [];
  if (draft.ending !== null) continueAfterEnding(draft);
  // What stopped it beside open gates may be no limit any more.
  else if (draft.phase === 'deciding' && !waitsAtGates && draft.budgets !== state.budgets) startMerge(draft);
  return draft;
}

const circleKinds: readonly string[] = ['loop_detected', 'promotion_rejected', 'agent_refused'];

function continueAfterEnding(draft: Draft): void {
  const { ending } = draft;
  draft.ending = null;
  draft.also = [];
  draft.output = undefined;
  draft.outputMade = false;
  draft.recheck = ending?.kind === 'invariant_violated';
  // The detector that fired starts with an empty window.
  if (ending !== null && circleKinds.includes(ending.kind)) draft.rounds = [];
  const isNew = draft.queue.length + draft.incoming.length > 0;
  // A budget that was not raised holds: the merge reaches the same ending.
  const isOver = draft.cycle >= draft.budgets.cycles;
  if (isNew || isOver || draft.awake.length === 0 || draft.recheck) startMerge(draft);
  else startCycle(draft);
}
