import type { Ending } from './ending.js';
import { isObject } from './json.js';
import type { ChildFailed } from './kinds/error.js';
import type { AnyTermination } from './kinds.js';

/** The `child_failed` endings from the outermost to the innermost; empty for any other ending. */
export function causeChain(termination: Ending): readonly ChildFailed[] {
  const chain: ChildFailed[] = [];
  const seen = new Set<Ending>();
  let current: Ending = termination;
  // A loop, not recursion: chains may be deeper than the stack, and a cyclic value must not hang.
  while (isChildFailed(current) && !seen.has(current)) {
    seen.add(current);
    chain.push(current);
    current = current.termination;
  }
  return chain;
}

/** The ending at the bottom of a chain of `child_failed`: the one to act on. */
export function rootCause<TEnding extends Ending>(termination: TEnding): AnyTermination {
  return causeChain(termination).at(-1)?.termination ?? (termination as Ending as AnyTermination);
}

/** True for an ending after which answers let the run continue; any other pause is over when it is resumed. */
export function waitsForAnswers(termination: Ending): boolean {
  const { kind } = rootCause(termination);
  return kind === 'gate_pending' || kind === 'interaction_pending';
}

function isChildFailed(termination: Ending): termination is ChildFailed {
  return termination.kind === 'child_failed' && isObject((termination as Partial<ChildFailed>).termination);
}
