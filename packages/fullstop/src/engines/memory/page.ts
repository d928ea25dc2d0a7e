import type { RunFilter, RunPage, RunSummary } from '../port/engine.js';
import { cursorOf, placeOf } from '../port/list-cursor.js';
import { pageSize } from '../port/page-size.js';

/** One page of the runs that pass a filter, newest first. */
export function pageOf(runs: readonly RunSummary[], filter: RunFilter): RunPage {
  const limit = pageSize(filter);
  const passing = runs.filter((run) => matchesFilter(run, filter)).sort(newestFirst);
  const from = filter.cursor === undefined ? undefined : cursorOf(placeOf(filter.cursor));
  const later = from === undefined ? passing : passing.filter((run) => cursorOf(run) < from);
  const page = later.slice(0, limit);
  const last = page.at(-1);
  return { runs: page, ...(later.length > page.length && last !== undefined && { next: cursorOf(last) }) };
}

function newestFirst(left: RunSummary, right: RunSummary): number {
  return cursorOf(left) < cursorOf(right) ? 1 : -1;
}

function matchesFilter(run: RunSummary, filter: RunFilter): boolean {
  return (
    (filter.name === undefined || run.name === filter.name) &&
    (filter.state === undefined || run.state === filter.state) &&
    (filter.kind === undefined || run.kind === filter.kind) &&
    (filter.category === undefined || run.category === filter.category) &&
    (filter.outcome === undefined || run.outcome === filter.outcome) &&
    (filter.text === undefined || mentionsText(run, filter.text.toLowerCase())) &&
    (filter.idPrefix === undefined || run.runId.startsWith(filter.idPrefix)) &&
    (filter.parentRunId === undefined || run.parent?.runId === filter.parentRunId) &&
    (filter.conversation === undefined || run.conversation?.id === filter.conversation) &&
    (filter.roots !== true || run.parent === undefined) &&
    (filter.startedAfter === undefined || run.startedAt > filter.startedAfter) &&
    (filter.startedBefore === undefined || run.startedAt < filter.startedBefore)
  );
}

function mentionsText({ runId, name, kind = '', summary = '' }: RunSummary, text: string): boolean {
  return [runId, name, kind, summary].some((part) => part.toLowerCase().includes(text));
}
