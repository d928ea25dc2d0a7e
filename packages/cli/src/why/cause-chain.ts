import type { AnyTermination } from 'fullstop';
import type { ChildFailed } from 'fullstop/types';

/** The `child_failed` endings from the outermost to the innermost; empty for any other ending. */
export function causeChain(termination: AnyTermination): readonly ChildFailed[] {
  const chain: ChildFailed[] = [];
  for (let current = termination; current.kind === 'child_failed'; current = current.termination) chain.push(current);
  return chain;
}
