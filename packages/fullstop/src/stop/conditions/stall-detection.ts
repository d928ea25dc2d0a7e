import { checkOptions, invalidOption, wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';

/** Options of `stallDetection`. */
export interface StallDetectionOptions {
  /** How many iterations in a row have to be alike; 3 unless given, at least 2. */
  readonly consecutive?: number;
  /** By what part of its neighbour an iteration may differ; 0.1 unless given. */
  readonly tolerance?: number;
}

const largest = 1_000;

/** Ends the run when several iterations in a row use about the same number of tokens, each compared with the one before. */
export function stallDetection(options: StallDetectionOptions = {}): StopCondition<'stall_detected'> {
  const { consecutive, tolerance } = readOptions(options);
  return defineCondition<'stall_detected', readonly number[]>({
    json: { type: 'stallDetection', consecutive, tolerance },
    kinds: ['stall_detected'],
    slot: 'detector',
    // The tokens of the latest iterations that are alike, the newest last.
    init: () => [],
    observe(state, { iterationTokens: tokens }) {
      if (tokens === undefined) return state;
      const before = state.at(-1);
      const alike = before !== undefined && before > 0 && Math.abs(tokens - before) / before <= tolerance;
      return alike ? [...state.slice(-consecutive + 1), tokens] : [tokens];
    },
    evaluate: (state) =>
      state.length >= consecutive
        ? { kind: 'stall_detected', consecutive, tolerance, tokens: state.slice(-consecutive) }
        : undefined,
  });
}

function readOptions(options: StallDetectionOptions): Required<StallDetectionOptions> {
  const builder = 'stallDetection';
  const { consecutive = 3, tolerance = 0.1 } = checkOptions(options, builder, ['consecutive', 'tolerance']);
  if (wholeLimit(consecutive, { builder, option: 'consecutive' }, 2) > largest) {
    throw invalidOption(consecutive, { builder, option: 'consecutive' }, `at most ${largest}`);
  }
  if (!(typeof tolerance === 'number' && tolerance >= 0 && tolerance < 1)) {
    throw invalidOption(tolerance, { builder, option: 'tolerance' }, 'a number from 0 up to, but not including, 1');
  }
  return { consecutive, tolerance };
}
