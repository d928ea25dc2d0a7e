import { type AnyTermination, type Category, type Envelope, rootCause } from 'fullstop';
import type { RunSummary } from 'fullstop/engine';
import type { KindTally, StoreEngine } from 'fullstop/engines/sqlite';
import { describeEnding } from '../../journal/describe-ending.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { nextActions } from '../../why/next-actions.js';
import type { SuggestedAction } from '../api/next-step.js';
import type { Bucket, EndingGroup, Overview } from '../api/overview.js';
import type { OverviewQuery } from '../api/run-query.js';
import { filterOf } from './list-runs.js';
import { nextStepOf } from './next-step.js';

const usualBuckets = 24;
/** How many runs of each category are grouped; counts and charts are always of all runs. */
const mostGrouped = 200;
const mostIds = 200;
/** Endings that nobody has to do anything about are not grouped. */
const groupedCategories: readonly Category[] = ['paused', 'capacity', 'retryable', 'fatal', 'cancelled'];

/** How runs ended: counted by the store, and those that need someone grouped by their root cause. */
export async function overview(engine: StoreEngine, query: OverviewQuery): Promise<Overview> {
  const { bucket: intervals = usualBuckets, ...rest } = query;
  const filter = filterOf(rest);
  const tally = await engine.tally({ ...filter, intervals });
  const categories = groupedCategories.filter((each) => filter.category === undefined || filter.category === each);
  const pages = await Promise.all(
    categories.map((category) => engine.list({ ...filter, category, limit: mostGrouped })),
  );
  const grouped = pages.flatMap(({ runs }) => runs);
  return {
    runs: tally.runs,
    unfinished: tally.unfinished,
    from: tally.from,
    to: tally.to,
    overTime: bucketsOf(tally.kinds, { from: tally.from, to: tally.to, intervals }),
    byName: tally.names.map(({ name, count, categories: byCategory }) => ({ name, count, byCategory })),
    costByEnding: tally.kinds.map(({ over: _over, ...kind }) => kind),
    groups: await groupsOf(engine, grouped),
    grouped: grouped.length,
    complete: pages.every(({ next }) => next === undefined),
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly intervals: number;
}

function bucketsOf(kinds: readonly KindTally[], { from, to, intervals }: Span): readonly Bucket[] {
  const width = (to - from) / intervals;
  return Array.from({ length: intervals }, (_, index) => {
    const byCategory: Partial<Record<Category, number>> = {};
    for (const { category, over } of kinds) {
      const count = over[index] ?? 0;
      if (count > 0) byCategory[category] = (byCategory[category] ?? 0) + count;
    }
    return { from: from + width * index, to: from + width * (index + 1), byCategory };
  });
}

interface Member {
  readonly run: RunSummary;
  readonly ending: Envelope;
}

async function groupsOf(engine: StoreEngine, runs: readonly RunSummary[]): Promise<readonly EndingGroup[]> {
  const groups = new Map<string, Member[]>();
  const members = await Promise.all(runs.map((run) => memberOf(engine, run)));
  for (const member of members) {
    if (member === undefined) continue;
    const key = keyOf(member.ending);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  const described = await Promise.all([...groups].map(([key, group]) => describeGroup(engine, key, group)));
  return described.flat().sort((left, right) => right.count - left.count);
}

/** Of a run that cannot be trusted no ending is told. */
async function memberOf(engine: StoreEngine, run: RunSummary): Promise<Member | undefined> {
  if (run.damage !== undefined) return undefined;
  const ending = await engine.ending(run.runId);
  return ending && { run, ending };
}

/** Endings of one kind whose first cause is of the same kind, in the same workflow and at the same place. */
function keyOf({ termination, category, name }: Envelope): string {
  const cause = rootCause(termination);
  return [category, termination.kind, cause.kind, name, placeOf(termination), markOf(cause)].join('|');
}

/** Where in the run it was, without numbers that differ from run to run. */
function placeOf(termination: AnyTermination): string {
  let path = '';
  for (let inner = termination; inner.kind === 'child_failed'; inner = inner.termination) path = inner.child.path;
  return withoutNumbers(path);
}

/** The part of a cause that tells it from others of its kind. */
function markOf(cause: AnyTermination): string {
  switch (cause.kind) {
    case 'failed':
      return `${cause.error.code ?? cause.error.name}: ${withoutNumbers(cause.error.message)}`;
    case 'terminated':
      return `${cause.by}: ${withoutNumbers(cause.reason)}`;
    case 'provider_failed':
    case 'provider_auth':
      return `status ${cause.status ?? 'unknown'}`;
    case 'gate_expired':
      return cause.gateId;
    case 'custom':
      return withoutNumbers(cause.reason);
    default:
      return '';
  }
}

/** Orders, amounts and ids differ from run to run; what is left is the same for the same reason. */
function withoutNumbers(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+(?:[.,]\d+)*/gi, 'N').slice(0, 200);
}

async function describeGroup(
  engine: StoreEngine,
  key: string,
  group: readonly Member[],
): Promise<readonly EndingGroup[]> {
  const [newest] = group;
  if (newest === undefined) return [];
  const { run, ending } = newest;
  const { termination, category, summary } = ending;
  const cause = rootCause(termination);
  const mark = markOf(cause);
  const isWorkflow = isWorkflowRun(await engine.journal(run.runId, { limit: 1 }));
  return [
    {
      key,
      kind: termination.kind,
      category,
      rootCause: mark === '' ? describeEnding(cause) : mark,
      count: group.length,
      runIds: group.slice(0, mostIds).map(({ run: { runId } }) => runId),
      sentence: summary,
      actions: bulkActions(nextActions({ summary: run, ending, requests: [], isWorkflow }), isWorkflow),
    },
  ];
}

/** The actions that make sense for many runs at once. */
function bulkActions(next: ReturnType<typeof nextActions>, isWorkflow: boolean): readonly SuggestedAction[] {
  const suggested = next.flatMap((each) => nextStepOf(each).action ?? []);
  const many = suggested.filter(({ type }) => type === 'resume' || type === 'cancel' || type === 'retry');
  const missing: readonly SuggestedAction['type'][] = isWorkflow ? ['retry', 'cancel'] : ['cancel'];
  const more = missing.filter((type) => many.every((action) => action.type !== type));
  return [...many, ...more.map((type) => ({ type, values: {}, asks: [] }))];
}
