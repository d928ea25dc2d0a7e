import { nextTurn } from '../../run/segment/next-turn.js';
import { isStopOutcome } from '../machine/round.js';
import type { Call, ToolOutcome } from '../machine/state.js';

/** Begins a call in its turn, and returns its outcome. */
export type TakeTurn = (round: readonly Call[], perform: () => Promise<ToolOutcome>) => Promise<ToolOutcome>;

interface RoundTurns {
  /** Settles when the next call may begin. */
  latest: Promise<unknown>;
  isStopped: boolean;
}

/**
 * Lets the calls of a round begin one after the other, though they work at the same time: each as soon as the one before is
 * done or has to wait for something. So a guard that halts, or throws, at once does so before the call after it has begun.
 */
export function createTurns(): TakeTurn {
  const turns = new WeakMap<readonly Call[], RoundTurns>();
  return (round, perform) => {
    const own = turns.get(round);
    if (own === undefined) {
      const first: RoundTurns = { latest: Promise.resolve(), isStopped: false };
      turns.set(round, first);
      const work = begin(first, perform);
      first.latest = orNextTurn(work);
      return work;
    }
    const work = own.latest.then(() => begin(own, perform));
    own.latest = own.latest.then(() => orNextTurn(work));
    return work;
  };
}

/** A call after one that stopped the round never begins: it waits until its batch is stopped, which gives it up. */
async function begin(turns: RoundTurns, perform: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  if (turns.isStopped) return new Promise<never>(() => undefined);
  const outcome = await perform();
  if (isStopOutcome(outcome)) turns.isStopped = true;
  return outcome;
}

function orNextTurn(work: Promise<unknown>): Promise<unknown> {
  const waited = new Promise<void>((resolve) => void nextTurn(resolve));
  return Promise.race([work.catch(() => undefined), waited]);
}
