import { oneLine } from '../terminal/foreign-text.js';
import type { Explanation } from '../why/explanation.js';

/** Where a fork comes from, in words; undefined for a run that is none. */
export function forkText({ forkedFrom }: Pick<Explanation, 'forkedFrom'>): string | undefined {
  if (forkedFrom === undefined) return undefined;
  const { runId, at, by } = forkedFrom;
  return oneLine(`forked from ${runId} at entry ${at}${by === undefined ? '' : ` by ${by}`}`);
}
