import type { Fact } from '../facts/fact.js';
import type { FactLog } from '../facts/fact-log.js';
import type { ProposalRejection } from '../facts/rejection.js';
import type { ConvergenceState } from './state.js';

/** True when there is something new to judge: facts, the input, or facts that were judged wrong before a resume. */
export function isProductive({ cycles, recheck }: ConvergenceState, promoted: readonly string[]): boolean {
  return promoted.length > 0 || cycles.length === 0 || recheck;
}

/** A rejection that its suggestor may react to. What a person has rejected before is no news to anybody. */
export function isNews(type: ProposalRejection['type']): boolean {
  return type !== 'refused_before';
}

/** The keys that have news, with those of the facts after so many. There are few keys, and many facts. */
export function keysAfter(
  { dirty }: Pick<ConvergenceState, 'dirty'>,
  { shared, length }: FactLog,
  before: number,
): readonly string[] {
  const keys = [...dirty];
  let last: string | undefined;
  for (let at = before; at < length; at += 1) {
    const { key } = shared.facts[at] as Fact;
    // Facts under the same key come together.
    if (key === last) continue;
    last = key;
    if (!keys.includes(key)) keys.push(key);
  }
  return keys;
}
