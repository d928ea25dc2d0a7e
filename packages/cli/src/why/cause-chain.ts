import type { AnyTermination, Termination } from 'fullstop';

/** The `child_failed` endings from the outermost to the innermost; empty for any other ending. */
export function causeChain(termination: AnyTermination): readonly Termination<'child_failed'>[] {
  const chain: Termination<'child_failed'>[] = [];
  for (let current = termination; current.kind === 'child_failed'; current = current.termination) chain.push(current);
  return chain;
}
