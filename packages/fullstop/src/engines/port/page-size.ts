import { wholeNumber } from './check-number.js';
import type { RunFilter } from './engine.js';

const usualLimit = 50;
const mostRuns = 1000;

/** How many runs a page of a list has. */
export function pageSize({ limit = usualLimit }: RunFilter): number {
  return Math.min(wholeNumber(limit, 'list: limit'), mostRuns);
}
