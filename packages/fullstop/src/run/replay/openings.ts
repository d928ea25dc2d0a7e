import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { readChanges } from '../changes/resume-changes.js';
import { makeScope } from '../journal/scope-path.js';
import type { SegmentOpening } from '../machine/machine.js';

/** The segments that resumed a unit which had begun before, oldest first. */
export function openingsOf(history: readonly JournalEntry[], scope: string): readonly SegmentOpening[] {
  const openings: SegmentOpening[] = [];
  let ending: SegmentOpening['ending'];
  let hasBegun = scope === '';
  let isOpened = false;
  let reach = -1;
  for (const entry of history) {
    if (entry.type === 'segment_ended') ending = entry.data.envelope.termination;
    else if (entry.type === 'segment_opened') {
      const opening = readOpening(entry, { ending, reach });
      if (hasBegun || (isOpened && isMeant(opening, scope))) openings.push(opening);
    } else if (entry.scope === scope) {
      hasBegun = true;
      reach = reachAfter(entry, reach);
    } else isOpened ||= opensScope(entry, scope);
  }
  return openings;
}

function readOpening(
  { segment, seq, at, data }: JournalEntry<'segment_opened'>,
  before: Pick<SegmentOpening, 'ending' | 'reach'>,
): SegmentOpening {
  return { segment, seq, at, options: data.options ?? {}, ...before };
}

/** A unit that has written nothing yet is not resumed, unless the resume says something to it alone. */
function isMeant({ options }: SegmentOpening, scope: string): boolean {
  return readChanges(options, scope, false).at === scope;
}

/** A step that a cancellation stopped is performed anew: the unit resumes before it, so that what changed holds for it. */
function reachAfter(entry: JournalEntry, reach: number): number {
  const wasStopped = entry.type === 'step_ended' && !entry.data.ok && entry.data.stopped === true;
  return wasStopped ? reach : Math.max(reach, entry.ordinal);
}

/** True for the entry with which a unit is opened, which is one of its parent. */
export function opensScope({ type, scope, key = '' }: JournalEntry, unit: string): boolean {
  return type === 'scope_opened' && unit.endsWith(key) && makeScope(scope, key) === unit;
}
