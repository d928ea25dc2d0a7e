import { rootCause } from 'fullstop';
import type { RunSummary } from 'fullstop/engine';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import { requestsOnTime } from '../../answer/requests-on-time.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { explainDamage } from '../../why/explain-damage.js';
import { explainRun, headlineOf, type RunRecord } from '../../why/explain-run.js';
import type { NextAction } from '../../why/explanation.js';
import { nextActions } from '../../why/next-actions.js';
import type { RunRow } from '../api/run-row.js';
import { lookOf } from './look.js';
import { nextStepOf } from './next-step.js';

/** Makes rows of summaries, in the words of `fullstop why`: a list and the page of a run cannot disagree. */
export interface RowMaker {
  /** With the words of an explanation, where there is one already. */
  rowOf(summary: RunSummary, told?: Pick<Told, 'headline' | 'next'>): Promise<RunRow>;
}

export interface RowSources {
  readonly engine: StoreEngine;
  /** The store, where it was named on the command line. */
  readonly store?: string | undefined;
}

/** How many runs are remembered as runs of workflow files or not; that never changes. */
const mostRemembered = 20_000;

export function rowMaker({ engine, store }: RowSources): RowMaker {
  const workflows = new Map<string, boolean>();
  const isWorkflow = async (runId: string): Promise<boolean> => {
    const known = workflows.get(runId);
    if (known !== undefined) return known;
    const found = isWorkflowRun(await engine.journal(runId, { limit: 1 }));
    if (workflows.size >= mostRemembered) workflows.clear();
    workflows.set(runId, found);
    return found;
  };
  return {
    rowOf: async (summary, known) => {
      if (summary.damage !== undefined) return damagedRow({ ...summary, damage: summary.damage });
      const { runId } = summary;
      const ending = summary.kind === undefined ? undefined : await engine.ending(runId);
      const asks = ending === undefined || ending.category === 'paused';
      const requests = asks ? requestsOnTime(await engine.openRequests(runId)) : [];
      if (known !== undefined) return toRow(summary, { ...known, requests });
      const told =
        ending !== undefined && rootCause(ending.termination).kind === 'loop_detected'
          ? wholeStory({ summary, ending, requests, journal: await engine.journal(runId) }, store)
          : {
              next: nextActions({ summary, ending, requests, isWorkflow: await isWorkflow(runId), store }),
              headline: ending?.summary ?? headlineOf({ summary, requests, journal: await sleepsOf(engine, summary) }),
            };
      return toRow(summary, { ...told, requests });
    },
  };
}

/** The advice about a loop depends on where it was, which only the journal says. */
function wholeStory(record: RunRecord, store: string | undefined): Pick<Told, 'headline' | 'next'> {
  return explainRun(record, { store });
}

/** The sleeps of a run that may sleep. */
function sleepsOf(engine: StoreEngine, { runId, state }: RunSummary): Promise<RunRecord['journal']> {
  if (state !== 'parked') return Promise.resolve([]);
  return engine.journal(runId, { types: ['sleep_started', 'sleep_ended'] });
}

interface Told {
  readonly headline: string;
  readonly next: readonly NextAction[];
  readonly requests: RunRecord['requests'];
}

function toRow(summary: RunSummary, { headline, next, requests }: Told): RunRow {
  const deadlines = requests.flatMap(({ deadline }) => (deadline === undefined ? [] : [deadline]));
  return {
    ...summary,
    look: lookOf(summary),
    sentence: headline,
    next: next.map(nextStepOf),
    requests: requests.length,
    ...(deadlines.length > 0 && { deadline: Math.min(...deadlines) }),
  };
}

/** Whatever is stored of its ending is not told. */
function damagedRow(summary: RunSummary & { readonly damage: NonNullable<RunSummary['damage']> }): RunRow {
  const {
    kind: _kind,
    category: _category,
    outcome: _outcome,
    summary: _summary,
    usage: _usage,
    costUsd: _cost,
    ...rest
  } = summary;
  return toRow(rest, { ...explainDamage({ summary, damage: summary.damage }), requests: [] });
}
