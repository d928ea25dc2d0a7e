import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { SegmentOpening } from '../machine/machine.js';

/** The segments that resumed a unit which had begun before, oldest first. */
export function openingsOf(history: readonly JournalEntry[], scope: string): readonly SegmentOpening[] {
  const openings: SegmentOpening[] = [];
  let ending: SegmentOpening['ending'];
  let hasBegun = scope === '';
  let reach = -1;
  for (const entry of history) {
    if (entry.type === 'segment_ended') ending = entry.data.envelope.termination;
    else if (entry.type === 'segment_opened' && hasBegun) {
      const { segment, seq, at, data } = entry;
      openings.push({ segment, seq, at, options: data.options ?? {}, ending, reach });
    } else if (entry.scope === scope) {
      hasBegun = true;
      if (!wasStopped(entry)) reach = Math.max(reach, entry.ordinal);
    }
  }
  return openings;
}

/** A step that a cancellation stopped is performed anew: the unit resumes before it, so that what changed holds for it. */
function wasStopped(entry: JournalEntry): boolean {
  return entry.type === 'step_ended' && !entry.data.ok && entry.data.stopped === true;
}
