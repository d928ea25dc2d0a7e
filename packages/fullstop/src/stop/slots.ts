import type { Ending } from '../termination/ending.js';

/** The ranks of causes of an ending inside one evaluation point: the first slot wins. */
export const slots = [
  'engine_failure',
  'cancelled',
  'step_error',
  'request',
  'halted',
  'forbidden',
  'goal',
  'budget',
  'detector',
  'cap',
  'custom',
] as const;

export type Slot = (typeof slots)[number];

/** The slots that conditions can be in; the others belong to the loop itself. */
export type ConditionSlot = Extract<Slot, 'goal' | 'budget' | 'detector' | 'cap' | 'custom'>;

/** A reason to end, found at an evaluation point. */
export interface Cause<TEnding extends Ending = Ending> {
  readonly slot: Slot;
  readonly termination: TEnding;
}

/** The order inside a slot; kinds that are not listed come after these, in the order in which they were found. */
const order: readonly string[] = [
  'completed',
  'submitted',
  'tool_called',
  'content_matched',
  'criteria_met',
  'converged',
  'terminated',
  'plugin_requested',
  'natural_end',
  'flow_completed',
  'skipped',
  'time_budget',
  'cost_budget',
  'token_budget',
];

const slotRanks: ReadonlyMap<Slot, number> = new Map(slots.map((slot, rank) => [slot, rank]));
const kindRanks: ReadonlyMap<string, number> = new Map(order.map((kind, rank) => [kind, rank]));

/** Sorts causes so that the one that ends the run comes first. Equals stay in the order in which they were found. */
export function orderCauses<TCause extends Cause>(causes: readonly TCause[]): readonly TCause[] {
  if (causes.length < 2) return causes;
  return [...causes].sort(
    (left, right) => rankOfSlot(left) - rankOfSlot(right) || rankOfKind(left) - rankOfKind(right),
  );
}

/** True for a cause that is the goal of the run. */
export function isGoal({ slot }: Cause): boolean {
  return slot === 'goal';
}

/** True for a cause that must not win over a goal that has been reached. */
export function isBelowGoal(cause: Cause): boolean {
  return rankOfSlot(cause) > (slotRanks.get('goal') as number);
}

function rankOfSlot({ slot }: Cause): number {
  return slotRanks.get(slot) as number;
}

function rankOfKind({ termination }: Cause): number {
  // A run that was told to wrap up and did has its answer: no other budget may take that away.
  if (termination.kind === 'budget_pressure' && 'finalized' in termination && termination.finalized === true) return -1;
  return kindRanks.get(termination.kind) ?? order.length;
}
