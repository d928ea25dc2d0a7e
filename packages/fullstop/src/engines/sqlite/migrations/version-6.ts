import type { EntryType } from '../../port/journal-entry.js';

/** The types of the entries that mark the course of a run: a long run has few of them. */
const landmarks: readonly EntryType[] = [
  'run_started',
  'segment_opened',
  'segment_ended',
  'scope_opened',
  'child_spawned',
  'request_opened',
  'request_answered',
  'request_expired',
  'request_withdrawn',
  'cancel_requested',
];

/** Rules out first what most entries are: every append asks this. Queries must use the very same words. */
export const landmarkCondition: string = `(type <> 'step_ended' AND type IN (${landmarks.map((type) => `'${type}'`).join(', ')}))`;

/** True when all entries of these types are found by the index of landmarks. */
export function areLandmarks(types: readonly EntryType[]): boolean {
  return types.every((type) => landmarks.includes(type));
}

/** Finds the landmarks of a long run without reading the other entries, by their type alone: keys mean nothing to a store. */
export const version6: string = `
DROP INDEX journal_frame;
CREATE INDEX journal_landmarks ON journal (run, seq) WHERE ${landmarkCondition};
`;
