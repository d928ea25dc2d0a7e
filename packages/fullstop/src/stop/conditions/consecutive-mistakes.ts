import type { Mistake } from '../../termination/kinds/detector.js';
import { wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import type { ObservedCall } from '../observation.js';

interface MistakenRounds {
  readonly count: number;
  readonly lastMistake: Mistake | null;
}

const none: MistakenRounds = { count: 0, lastMistake: null };

/**
 * Ends the run after this many rounds in a row with mistakes and no success. A round counts once however many of its
 * calls were mistaken, because the model sees its mistakes only when the round is over.
 */
export function consecutiveMistakes(limit: number): StopCondition<'consecutive_mistakes'> {
  wholeLimit(limit, { builder: 'consecutiveMistakes', option: 'limit' });
  return defineCondition<'consecutive_mistakes', MistakenRounds>({
    json: { type: 'consecutiveMistakes', limit },
    kinds: ['consecutive_mistakes'],
    slot: 'detector',
    init: () => none,
    observe(state, { calls, mistake }) {
      if (mistake !== undefined) return { count: state.count + 1, lastMistake: mistake };
      if (calls === undefined || calls.length === 0) return state;
      if (calls.some((call) => call.ok)) return state.count === 0 ? state : none;
      const lastMistake = calls.map(mistakeOf).findLast((mistake) => mistake !== undefined);
      return lastMistake === undefined ? state : { count: state.count + 1, lastMistake };
    },
    evaluate: ({ count, lastMistake }) =>
      count >= limit && lastMistake !== null
        ? { kind: 'consecutive_mistakes', limit, used: count, lastMistake }
        : undefined,
  });
}

function mistakeOf(call: ObservedCall): Mistake | undefined {
  if (call.ok || call.mistake === undefined) return undefined;
  return { tool: call.tool, problem: call.mistake, message: call.error.message };
}
