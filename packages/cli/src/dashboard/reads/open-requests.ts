import type { OpenRequest } from 'fullstop';
import type { RunSummary } from 'fullstop/engine';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import { requestsOnTime } from '../../answer/requests-on-time.js';
import { choicesOf, fieldBeside, hasSeveralLines, isEvasion, questionOf } from '../../why/request-question.js';
import type { RequestList, RequestRow } from '../api/requests.js';

/** How many runs of each kind are looked at. */
const mostRuns = 500;

/** Everything that waits for a person, the first deadline first. */
export async function openRequests(engine: StoreEngine): Promise<RequestList> {
  const pages = await Promise.all([
    engine.list({ category: 'paused', limit: mostRuns }),
    // A run that is executed may ask too, while other parts of it continue.
    engine.list({ state: 'running', limit: mostRuns }),
    engine.list({ state: 'parked', limit: mostRuns }),
  ]);
  const runs = new Map(pages.flatMap((page) => page.runs.map((run) => [run.runId, run] as const)));
  const rows = await Promise.all([...runs.values()].map((run) => requestsOf(engine, run)));
  return {
    requests: rows.flat().sort(byUrgency),
    complete: pages.every(({ next }) => next === undefined),
  };
}

/** The questions of one run. */
export async function requestsOf(engine: StoreEngine, run: RunSummary): Promise<readonly RequestRow[]> {
  if (run.damage !== undefined) return [];
  const open = requestsOnTime(await engine.openRequests(run.runId));
  return open.map((request) => toRow(run, request));
}

function toRow({ runId, name }: RunSummary, request: OpenRequest): RequestRow {
  const { id, type, path, summary, options = [], otherAnswers, tool, input, schema, openedAt, deadline } = request;
  const labels = choicesOf(request);
  return {
    runId,
    name,
    id,
    type,
    path,
    question: questionOf(request),
    ...(summary !== undefined && { summary }),
    choices: options.map(({ value, label }, index) => {
      const field = fieldBeside(request, value);
      return {
        value,
        label: label ?? labels[index] ?? value,
        ...(isEvasion(value) && { evades: true }),
        ...(field !== undefined && { field }),
      };
    }),
    otherAnswers: otherAnswers === true || options.length === 0,
    severalLines: hasSeveralLines(request),
    ...(tool !== undefined && { tool }),
    ...(input !== undefined && { input }),
    ...(schema !== undefined && { schema }),
    openedAt,
    ...(deadline !== undefined && { deadline }),
    ...(request.onExpiry !== undefined && { onExpiry: request.onExpiry }),
    ...(request.answerers !== undefined && { answerers: request.answerers }),
  };
}

function byUrgency(left: RequestRow, right: RequestRow): number {
  const never = Number.POSITIVE_INFINITY;
  const [first, second] = [left.deadline ?? never, right.deadline ?? never];
  return first === second ? left.openedAt - right.openedAt : first - second;
}
