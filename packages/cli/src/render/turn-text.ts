import type { RunSummary } from 'fullstop/engine';
import { oneLine } from '../terminal/foreign-text.js';

/** The place of a run in its conversation, in words; undefined where it has none. */
export function turnText({ conversation }: Pick<RunSummary, 'conversation'>): string | undefined {
  if (conversation === undefined) return undefined;
  const { id, turn, after } = conversation;
  return oneLine(`${turn} of ${id}${after === undefined ? '' : `, after ${after.runId}`}`);
}
