import type { EntryType } from '../../port/journal-entry.js';

/** The types of the entries that say how a run is framed; a long run has few of them. */
const frameTypes: readonly EntryType[] = [
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

/** Those entries. */
export const frameCondition: string = `(type IN (${frameTypes.map((type) => `'${type}'`).join(', ')}) OR key = 'taken_up')`;

/** True when all entries of these types are found by the index of the frame. */
export function areInFrame(types: readonly EntryType[]): boolean {
  return types.every((type) => frameTypes.includes(type));
}

/** Finds those entries of a long run without reading the others. */
export const version3: string = `CREATE INDEX journal_frame ON journal (run, seq) WHERE ${frameCondition};`;
