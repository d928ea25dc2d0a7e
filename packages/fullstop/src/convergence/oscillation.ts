import { fingerprint } from '../stop/fingerprint.js';
import type { LoopDetected, RepeatedCall } from '../termination/kinds/detector.js';
import { terminations } from '../termination/terminations.js';
import type { OscillationOptions } from './convergence-options.js';
import type { Fact } from './fact.js';
import { contentText } from './leaf.js';
import type { Rejection } from './rejection.js';

/** What one cycle came to. */
export interface Round {
  readonly cycle: number;
  readonly promoted: readonly Fact[];
  readonly rejected: readonly Rejection[];
}

const longestCycle = 8;
const callsShown = 5;
/** A cycle with more new facts than this counts as news; looking at each of them would cost more than it tells. */
const largestRound = 1000;

const prints = new WeakMap<Round, string>();

/** The same text for rounds that say the same, whatever the ids. Made only once there is something to compare. */
function printOf(round: Round): string {
  const known = prints.get(round);
  if (known !== undefined) return known;
  const { cycle, promoted, rejected } = round;
  const lines = [
    ...promoted.map(({ by, key, family, subject = '', payload }) => [by, key, family, subject, contentText(payload)]),
    ...rejected.map(({ by, ref, type, payload }) => [by, ref, type, contentText(payload ?? null)]),
  ];
  const print = lines.length > largestRound ? `cycle ${cycle}` : fingerprint(JSON.stringify(lines));
  prints.set(round, print);
  return print;
}

function callsOf({ promoted, rejected }: Round): readonly RepeatedCall[] {
  const all = [...promoted, ...rejected].slice(0, callsShown);
  return all.map(({ by, ref, payload }) => ({ tool: by, input: { ref, payload: payload ?? null } }));
}

/** The rounds that are still worth remembering, with a new one. */
export function remembered(
  rounds: readonly Round[],
  round: Round,
  options: Required<OscillationOptions>,
): readonly Round[] {
  return [...rounds, round].slice(-longestCycle * Math.max(options.rejections, options.contents));
}

/**
 * The cycle that a run goes round in, if it does: nothing but the same rejections, or contents that come back in turn. The
 * same single content under new ids is no cycle: that is how a queue is worked off.
 */
export function loopIn(rounds: readonly Round[], options: Required<OscillationOptions>): LoopDetected | undefined {
  const lastNews = rounds.findLastIndex(({ promoted }) => promoted.length > 0);
  const idle = rounds.slice(lastNews + 1);
  return (
    cycleIn(idle, { shortest: 1, repeats: options.rejections }) ??
    cycleIn(rounds, { shortest: 2, repeats: options.contents })
  );
}

function cycleIn(
  rounds: readonly Round[],
  { shortest, repeats }: { readonly shortest: number; readonly repeats: number },
): LoopDetected | undefined {
  for (let length = shortest; length <= longestCycle && length * repeats <= rounds.length; length += 1) {
    const recent = rounds.slice(-length * repeats);
    const repeated = recent.every((round, index) => printOf(round) === printOf(recent[index % length] as Round));
    if (!repeated || new Set(recent.map(printOf)).size < shortest) continue;
    return terminations.loopDetected({ cycle: recent.slice(0, length).flatMap(callsOf), repeats });
  }
  return undefined;
}
