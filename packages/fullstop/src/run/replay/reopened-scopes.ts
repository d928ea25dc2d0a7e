import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { causeChain } from '../../termination/root-cause.js';

/** The ending of a segment, if it has one. */
export function endingOfSegment(history: readonly JournalEntry[], segment: number): AnyTermination | undefined {
  const ending = history.findLast((entry) => entry.type === 'segment_ended' && entry.segment === segment);
  return ending?.type === 'segment_ended' ? ending.data.envelope.termination : undefined;
}

/** The units that a resume after an ending reopens although they have one of their own. */
export function reopenedScopes(ending: AnyTermination | undefined): ReadonlySet<string> {
  const chain = ending === undefined ? [] : causeChain(ending);
  return new Set(chain.flatMap((link) => [link.child.path, ...(link.others ?? []).map((other) => other.child.path)]));
}
