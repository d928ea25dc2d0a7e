import type { RunState } from '../../port/engine.js';
import type { WakingFacts } from '../../rules/waking.js';

interface WakingCells {
  readonly state: RunState;
  readonly wake_at: number | null;
  readonly ending_seq: number | null;
}

/** The facts by which a run wakes, from its row. */
export function wakingFacts({ state, wake_at: wakeAt, ending_seq: endingSeq }: WakingCells, now: number): WakingFacts {
  return { state, wakeAt: wakeAt ?? undefined, hasEnding: endingSeq !== null, now };
}
