import type { Engine, RunSummary } from 'fullstop/engine';
import type { OptionValues } from '../command-line/option.js';
import { runFilter, type runFilterOptions } from './run-filter-options.js';

const pageSize = 1000;

/** All runs that pass the filters, newest first, page by page; at most so many where a number is given. */
export async function* matchingRuns(
  engine: Engine,
  options: OptionValues<typeof runFilterOptions>,
  most: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<RunSummary, void, undefined> {
  const filter = runFilter(options, Date.now());
  let left = most;
  let cursor: string | undefined;
  do {
    const page = await engine.list({
      ...filter,
      limit: Math.min(pageSize, left),
      ...(cursor !== undefined && { cursor }),
    });
    yield* page.runs;
    left -= page.runs.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0);
}
