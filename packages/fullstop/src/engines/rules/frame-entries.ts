import type { ReopenRequest, StartRequest } from '../port/engine.js';
import type { EntryDraft, JournalEntry } from '../port/journal-entry.js';

/** The place of entries that an engine writes itself: before every operation of the run's own scope. */
const frame = { scope: '', ordinal: -1 } as const;

/** The first entry of a run. */
export function draftStart(request: StartRequest, at: number): EntryDraft<'run_started'> {
  const { name, version, input, options, parent, conversation } = request;
  const data = {
    name,
    version,
    ...(input !== undefined && { input }),
    ...(options !== undefined && { options }),
    ...(parent !== undefined && { parent }),
    ...(conversation !== undefined && { conversation }),
  };
  return { type: 'run_started', ...frame, at, data };
}

/** The request that the first entry of a journal came from. */
export function readStart(entries: readonly JournalEntry[]): StartRequest & { readonly startedAt: number } {
  const [first] = entries;
  if (first?.type !== 'run_started') throw new TypeError('A journal begins with run_started.');
  return { runId: first.runId, ...first.data, startedAt: first.at };
}

export interface Opening extends Pick<ReopenRequest, 'because' | 'options'> {
  readonly by?: string | undefined;
  /** The segment before the new one. */
  readonly from: number;
  readonly now: number;
  /** The time of the run's last entry. */
  readonly lastAt: number;
}

/** The first entry of a later segment. Times never go backwards within a run. */
export function draftOpening({ from, because, by, options, now, lastAt }: Opening): EntryDraft<'segment_opened'> {
  const data = { from, because, ...(by !== undefined && { by }), ...(options !== undefined && { options }) };
  return { type: 'segment_opened', ...frame, at: Math.max(now, lastAt), data };
}
