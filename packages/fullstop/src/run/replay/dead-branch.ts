import type { Replay, Slot } from './replay.js';

/** A dead branch: what a parent did between the ending of a unit and the attempt that resumed it. The parent continues after that. */
export interface DeadBranch {
  /** The place of the ending in the journal. */
  readonly after: number;
  /** The place of the attempt. */
  readonly before: number;
  readonly next: number;
}

/** The dead branches after the attempts of a unit, in their order. */
export function deadBranchesOf(slot: Slot | undefined): readonly DeadBranch[] {
  const dead: DeadBranch[] = [];
  let after: number | undefined;
  for (const { type, seq, data } of slot?.entries ?? []) {
    if (type === 'unit_ended') after = seq;
    if (type !== 'scope_opened') continue;
    if (data.next !== undefined && after !== undefined) dead.push({ after, before: seq, next: data.next });
    after = undefined;
  }
  return dead;
}

/** The dead branches of a scope once more of them are known, in the order of the journal. */
export function withDead(known: readonly DeadBranch[], more: readonly DeadBranch[]): readonly DeadBranch[] {
  return more.length === 0 ? known : [...known, ...more].sort((left, right) => left.after - right.after);
}

/** Where a scope continues from an ordinal, past the dead branches there. */
export function skipDeadBranches(
  replay: Replay,
  { scope, ordinal }: { readonly scope: string; readonly ordinal: number },
  dead: readonly DeadBranch[],
): number {
  let place = ordinal;
  for (const { after, before, next } of dead) {
    const [first] = replay.slot(scope, place)?.entries ?? [];
    if (first !== undefined && first.seq > after && first.seq < before) place = Math.max(place, next);
  }
  return place;
}
