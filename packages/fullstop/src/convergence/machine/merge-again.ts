import type { Proposal } from '../facts/fact.js';
import { FactAppender, type FactLog } from '../facts/fact-log.js';
import type { FactFamily } from '../options/family.js';
import { factOf } from './candidate.js';
import type { Exception } from './cycle-entry.js';
import type { Rules } from './rules.js';
import type { ConvergenceState, Queued } from './state.js';

/** The proposals that a merge takes: in the first one the seeds of the input come before the queue. */
export function proposalsToMerge(
  { queue }: ConvergenceState,
  seeded: readonly Proposal[] | undefined,
): readonly Queued[] {
  if (seeded === undefined) return queue;
  return [...seeded.map((proposal): Queued => ({ proposal, by: 'input' })), ...queue];
}

/** Repeats a merge from its entry: everything was judged, so nobody is asked. */
export function mergeAgain(
  state: Pick<ConvergenceState, 'facts' | 'cycle'>,
  rules: Pick<Rules, 'families'>,
  entry: { readonly queue: readonly Queued[]; readonly exceptions: readonly Exception[]; readonly held: number },
): FactLog {
  const facts = new FactAppender(state.facts);
  const skipped = new Set(entry.exceptions.map(({ at }) => at));
  const end = entry.queue.length - entry.held;
  for (let at = 0; at < end; at += 1) {
    if (skipped.has(at)) continue;
    const queued = entry.queue[at] as Queued;
    const family = familyOf(rules, queued.proposal);
    facts.add(factOf(queued, family, { cycle: state.cycle, clock: facts.length + 1 }));
  }
  return facts.log();
}

/** The family of a proposal; where it is no longer declared, what the proposal itself says. */
export function familyOf(rules: Pick<Rules, 'families'>, proposal: Proposal): FactFamily {
  const family = rules.families.of(proposal);
  const { key, family: name = key, version = 1 } = proposal;
  return typeof family === 'string' ? { key, name, version } : family;
}
