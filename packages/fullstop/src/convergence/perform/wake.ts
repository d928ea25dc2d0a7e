import { itemsOf } from '../../run/log.js';
import { wrongVerdict } from '../../stop/wrong-verdict.js';
import type { FactView } from '../facts/fact-view.js';
import type { ProposalRejection } from '../facts/rejection.js';
import type { Rules } from '../machine/rules.js';
import type { ConvergenceState } from '../machine/state.js';
import { thrownBy } from '../options/call-rule.js';
import type { AnySuggestor, SuggestorView } from '../options/suggestor.js';

/** The events since suggestors were last woken. */
export interface News {
  readonly dirty: readonly string[];
  /** Suggestors whose proposals were rejected, or that failed. */
  readonly rebuffed: readonly string[];
}

/** The suggestors that have something to do, in the order of their registration. */
export function awakeAfter(state: ConvergenceState, rules: Rules, news: News, facts: FactView): readonly string[] {
  const quiet = news.dirty.length + news.rebuffed.length === 0;
  // A merge that brought nothing is a fixed point, even for those who would be asked in every cycle.
  if (quiet && state.cycle > 0) return [];
  const awake: string[] = [];
  for (const suggestor of rules.suggestors) {
    if (!isCandidate(suggestor, news)) continue;
    const { name, accepts } = suggestor;
    if (accepts === undefined || isAccepted(name, accepts, viewFor(state, name, facts))) awake.push(name);
  }
  return awake;
}

function isAccepted(name: string, accepts: NonNullable<AnySuggestor['accepts']>, view: SuggestorView): boolean {
  let said: unknown;
  try {
    said = accepts(view);
  } catch (error) {
    throw thrownBy(acceptsOf(name), error);
  }
  if (typeof said === 'boolean') return said;
  throw wrongVerdict(acceptsOf(name), said, 'true or false, at once');
}

function acceptsOf(name: string): string {
  return `The accepts of the suggestor ${JSON.stringify(name)}`;
}

function isCandidate({ name, dependsOn }: AnySuggestor, { dirty, rebuffed }: News): boolean {
  return dependsOn.length === 0 || rebuffed.includes(name) || dependsOn.some((key) => dirty.includes(key));
}

/** The view of a suggestor. */
export function viewFor(
  state: Pick<ConvergenceState, 'cycle' | 'rejections'>,
  name: string,
  facts: FactView,
): SuggestorView {
  return new Look(state, name, facts);
}

/** A class, because an object with a getter of its own is slow to make, and rejections are looked up only if asked for. */
class Look implements SuggestorView {
  readonly facts: FactView;
  readonly cycle: number;
  readonly #rejections: ConvergenceState['rejections'];
  readonly #name: string;

  constructor(state: Pick<ConvergenceState, 'cycle' | 'rejections'>, name: string, facts: FactView) {
    this.facts = facts;
    this.cycle = state.cycle;
    this.#rejections = state.rejections;
    this.#name = name;
  }

  get rejections(): readonly ProposalRejection[] {
    return itemsOf(this.#rejections).filter(({ by }) => by === this.#name);
  }
}
