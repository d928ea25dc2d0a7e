import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { RunSummary } from './engine.js';

/** The place of a run in a list: the time of its start, then its id. */
export type ListPlace = Pick<RunSummary, 'runId' | 'startedAt'>;

/** A text that sorts like the places that it stands for. */
export function cursorOf({ startedAt, runId }: ListPlace): string {
  return `${String(startedAt).padStart(16, '0')}:${runId}`;
}

/** The place that a cursor stands for. What no page has given is refused: it would just show nothing. */
export function placeOf(cursor: string): ListPlace {
  const [, startedAt, runId] = /^(\d+):(.+)$/s.exec(cursor) ?? [];
  if (startedAt !== undefined && runId !== undefined) return { startedAt: Number(startedAt), runId };
  throw new FullstopError(
    'INVALID_OPTION',
    `list: cursor is ${found(cursor)}; it must be what an earlier page has in next.`,
  );
}
