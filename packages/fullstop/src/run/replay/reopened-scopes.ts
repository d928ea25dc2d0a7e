import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { causeChain } from '../../termination/root-cause.js';
import { makeScope, parseScope } from '../journal/scope-path.js';

/** The ending of a segment, if it has one. */
export function endingOfSegment(history: readonly JournalEntry[], segment: number): AnyTermination | undefined {
  const ending = history.findLast((entry) => entry.type === 'segment_ended' && entry.segment === segment);
  return ending?.type === 'segment_ended' ? ending.data.envelope.termination : undefined;
}

/** The units that a resume after an ending reopens although they have one of their own: those that it names, and those around them. */
export function reopenedScopes(ending: AnyTermination | undefined): ReadonlySet<string> {
  const chain = ending === undefined ? [] : causeChain(ending);
  const paths = chain.flatMap(({ child, others = [] }) => [child.path, ...others.map((other) => other.child.path)]);
  return new Set(paths.flatMap(withParents));
}

function withParents(path: string): readonly string[] {
  const scopes: string[] = [];
  for (const part of parseScope(path)) scopes.push(makeScope(scopes.at(-1) ?? '', part));
  return scopes;
}
