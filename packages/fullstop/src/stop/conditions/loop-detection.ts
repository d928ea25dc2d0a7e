import type { RepeatedCall } from '../../termination/kinds/detector.js';
import { checkOptions, invalidOption, wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import type { ObservedCall } from '../observation.js';
import { rolled } from '../rolled.js';
import { type CallComparison, comparisons, evidenceOf, repeatedCalls, roundKey } from '../round-key.js';

/** Options of `loopDetection`: how many repeats, and when two calls are the same. */
export interface LoopDetectionOptions {
  /** How often a cycle of rounds has to come in a row; 3 unless given. */
  readonly repeats?: number;
  /** The longest cycle that is looked for, in rounds; 5 unless given. */
  readonly window?: number;
  /** The parts that have to be the same: the tools with their arguments and `results` (unless given), with their `arguments`, or just the `names`. */
  readonly compare?: CallComparison;
}

interface LoopWindow {
  readonly compare: CallComparison;
  /** The latest rounds, the newest last; as many as the longest cycle has. */
  readonly rounds: readonly SeenRound[];
  /** For each length of a cycle, from 1 on: how many rounds in a row were like the one that many rounds before. */
  readonly alike: readonly number[];
}

interface SeenRound {
  readonly key: number;
  readonly calls: readonly RepeatedCall[];
}

const largest = 100;

/** Ends the run when the same calls come back with the same results, again and again. Rounds without calls are passed over. */
export function loopDetection(options: LoopDetectionOptions = {}): StopCondition<'loop_detected'> {
  const { repeats, window, compare } = readOptions(options);
  const empty: LoopWindow = { compare, rounds: [], alike: [] };
  return defineCondition<'loop_detected', LoopWindow>({
    json: { type: 'loopDetection', repeats, window, compare },
    kinds: ['loop_detected'],
    slot: 'detector',
    init: () => empty,
    observe(state, { calls }) {
      if (calls === undefined || calls.length === 0) return state;
      // Resumed with another comparison: the keys of before say nothing.
      return withRound(state.compare === compare ? state : empty, calls, window);
    },
    evaluate({ rounds, alike }) {
      if (alike.length === 0) return undefined;
      const index = alike.findIndex((count, position) => count >= (position + 1) * (repeats - 1));
      if (index === -1) return undefined;
      return {
        kind: 'loop_detected',
        cycle: rounds.slice(-index - 1).flatMap(({ calls }) => repeatedCalls(calls)),
        repeats,
      };
    },
  });
}

function withRound(state: LoopWindow, calls: readonly ObservedCall[], window: number): LoopWindow {
  const { compare, rounds } = state;
  const key = roundKey(calls, compare);
  let alike = state.alike;
  // In most rounds nothing comes back, and the list of counts stays as it is.
  if (state.alike.length > 0 || hasRound(rounds, key)) {
    const counts: number[] = [];
    for (let length = 1; length <= window; length += 1) {
      const isAlike = rounds[rounds.length - length]?.key === key;
      counts.push(isAlike ? (state.alike[length - 1] ?? 0) + 1 : 0);
    }
    alike = counts.every((count) => count === 0) ? [] : counts;
  }
  return { compare, rounds: rolled(rounds, { key, calls: repeatedCalls(evidenceOf(calls)) }, window), alike };
}

function hasRound(rounds: readonly SeenRound[], key: number): boolean {
  for (const round of rounds) if (round.key === key) return true;
  return false;
}

function readOptions(options: LoopDetectionOptions): Required<LoopDetectionOptions> {
  const builder = 'loopDetection';
  const {
    repeats = 3,
    window = 5,
    compare = 'results',
  } = checkOptions(options, builder, ['repeats', 'window', 'compare']);
  wholeLimit(repeats, { builder, option: 'repeats' }, 2);
  if (wholeLimit(window, { builder, option: 'window' }) > largest) {
    throw invalidOption(window, { builder, option: 'window' }, `at most ${largest}`);
  }
  if (!comparisons.includes(compare)) {
    throw invalidOption(compare, { builder, option: 'compare' }, `one of ${comparisons.join(', ')}`);
  }
  return { repeats, window, compare };
}
