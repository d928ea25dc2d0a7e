import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { lastOf, type Replay } from '../replay/replay.js';
import { stoppedByLimit } from '../unit/end-unit.js';

/** The key of the entries about a batch as a whole. */
export const batchKey = 'batch';

/** The stop of a batch in the journal. */
export interface BatchStop {
  readonly stop: JournalEntry<'batch_stopped'>;
  /** True when a later segment has resumed the member that had failed. */
  readonly isUndone: boolean;
  /** The ordinal of that member. */
  readonly ordinal: number;
}

/** Finds the stop of the batch at a place, whose members follow in the order in which they were started. */
export function findBatchStop(
  replay: Replay,
  { scope, ordinal }: { readonly scope: string; readonly ordinal: number },
  members: readonly { readonly key: string }[],
): BatchStop | undefined {
  const stop = lastOf(replay.slot(scope, ordinal), 'batch_stopped');
  if (stop === undefined) return undefined;
  if (stop.data.by === stoppedByLimit) return { stop, isUndone: false, ordinal };
  const ordinalOfFailure = ordinal + 1 + members.findIndex(({ key }) => key === stop.data.by);
  const entries = replay.slot(scope, ordinalOfFailure)?.entries ?? [];
  const isUndone = entries.some((entry) => entry.type === 'scope_opened' && entry.seq > stop.seq);
  return { stop, isUndone, ordinal: ordinalOfFailure };
}

/** The limit that has stopped a batch; undefined where a member did. */
export function limitOf(stop: JournalEntry<'batch_stopped'> | undefined): AnyTermination | undefined {
  return stop?.data.by === stoppedByLimit ? stop.data.cause : undefined;
}
