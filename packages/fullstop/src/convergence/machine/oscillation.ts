import { fingerprint } from '../../stop/fingerprint.js';
import type { Ending } from '../../termination/ending.js';
import type { RepeatedCall } from '../../termination/kinds/detector.js';
import { terminations } from '../../termination/terminations.js';
import { blankProvenance, type Fact } from '../facts/fact.js';
import { contentText } from '../facts/leaf.js';
import type { ProposalRejection } from '../facts/rejection.js';
import type { OscillationOptions } from '../options/convergence-options.js';

/** The new facts and the rejections of one cycle. */
export interface Round {
  readonly cycle: number;
  readonly promoted: readonly Fact[];
  readonly rejected: readonly ProposalRejection[];
}

const longestCycle = 8;
const callsShown = 5;
/** A cycle with more new facts than this counts as news; comparing each of them would cost more than it shows. */
const largestRound = 1000;

const prints = new WeakMap<Round, string>();

/** The same text for rounds that say the same, whatever the ids. Made only once there is something to compare. */
function printOf(round: Round): string {
  const known = prints.get(round);
  if (known !== undefined) return known;
  const { cycle, promoted, rejected } = round;
  const print = promoted.length + rejected.length > largestRound ? `cycle ${cycle}` : fingerprint(textOf(round));
  prints.set(round, print);
  return print;
}

function textOf({ promoted, rejected }: Round): string {
  return JSON.stringify([
    ...promoted.map(({ by, key, family, subject = '', payload }) => [by, key, family, subject, contentText(payload)]),
    ...rejected.map(({ by, ref, type, payload }) => [by, ref, type, contentText(payload ?? null)]),
  ]);
}

function callsOf({ promoted, rejected }: Round): readonly RepeatedCall[] {
  const all = [...promoted, ...rejected].slice(0, callsShown);
  return all.map(({ by, ref, payload }) => ({ tool: by, input: { ref, payload: payload ?? null } }));
}

/** The rounds that are still worth remembering, with a new one. */
export function rememberRound(
  rounds: readonly Round[],
  round: Round,
  options: Required<OscillationOptions>,
): readonly Round[] {
  return [...rounds, round].slice(-longestCycle * Math.max(options.rejections, options.contents));
}

/**
 * The endings of a run that moves in a circle; none where it does not. Nothing but the same rejections again and again is what
 * the rejections say. Contents that come back in turn are a loop; the same single content under new ids is none: that is how
 * a queue is worked off.
 */
export function circleEndings(rounds: readonly Round[], options: Required<OscillationOptions>): readonly Ending[] {
  const lastNews = rounds.findLastIndex(({ promoted }) => promoted.length > 0);
  const idle = cycleIn(rounds.slice(lastNews + 1), { shortest: 1, repeats: options.rejections });
  if (idle !== undefined) return rejectionEndings(idle.flatMap(({ rejected }) => rejected));
  const repeats = options.contents;
  const cycle = cycleIn(rounds, { shortest: 2, repeats });
  // Rejections in turn are no loop of contents: they may need more rounds to show what they are.
  if (cycle === undefined || !cycle.some(({ promoted }) => promoted.length > 0)) return [];
  return [terminations.loopDetected({ cycle: cycle.flatMap(callsOf), repeats })];
}

/**
 * What a budget cut short where everything that was proposed was rejected, in other words each time: the rejections. More of the budget would
 * buy more of them. None where anything was accepted lately.
 */
export function refusedEndings(rounds: readonly Round[], options: Required<OscillationOptions>): readonly Ending[] {
  const isRefused = ({ promoted, rejected }: Round): boolean => promoted.length === 0 && rejected.length > 0;
  if (rounds.length < options.rejections || !rounds.every(isRefused)) return [];
  return rejectionEndings(rounds.at(-1)?.rejected ?? []);
}

/** One ending for each proposal that was rejected, in their order. A suggestor that does not say where its proposals come from is not believed at all. */
function rejectionEndings(rejected: readonly ProposalRejection[]): readonly Ending[] {
  const byRef = new Map<string, Ending>();
  for (const { by, ref, reason, type } of rejected) {
    const ending =
      type === 'invalid' && reason === blankProvenance
        ? terminations.agentRefused({ agentId: by, reason, by: 'suggestor' })
        : terminations.promotionRejected({ proposalId: ref, reason });
    const key = ending.kind === 'agent_refused' ? by : ref;
    byRef.set(JSON.stringify([ending.kind, key]), ending);
  }
  return [...byRef.values()].slice(0, callsShown);
}

function cycleIn(
  rounds: readonly Round[],
  { shortest, repeats }: { readonly shortest: number; readonly repeats: number },
): readonly Round[] | undefined {
  for (let length = shortest; length <= longestCycle && length * repeats <= rounds.length; length += 1) {
    if (!isRepeated(rounds, length, repeats)) continue;
    const cycle = rounds.slice(-length);
    if (new Set(cycle.map(printOf)).size < shortest) continue;
    return cycle;
  }
  return undefined;
}

/** From the last round back: where nothing is repeated, that is nearly always the first to show it. */
function isRepeated(rounds: readonly Round[], length: number, repeats: number): boolean {
  const first = rounds.length - length * (repeats - 1);
  for (let index = rounds.length - 1; index >= first; index -= 1) {
    if (!isSame(rounds[index] as Round, rounds[index - length] as Round)) return false;
  }
  return true;
}

function isSame(one: Round, other: Round): boolean {
  const isAlike = one.promoted.length === other.promoted.length && one.rejected.length === other.rejected.length;
  return isAlike && printOf(one) === printOf(other);
}
