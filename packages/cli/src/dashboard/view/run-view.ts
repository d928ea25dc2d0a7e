import type { Envelope } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';
import type { LoadedDocument } from 'fullstop/workflow';
import { explainDamage } from '../../why/explain-damage.js';
import { type DamagedRun, explainRun, type RunRecord } from '../../why/explain-run.js';
import type { Explanation } from '../../why/explanation.js';
import { type Banner, bannerOf } from './banner.js';
import { bodyOf, type UnitBody } from './body-of.js';
import { drawRun } from './draw-run.js';
import { JournalProjection, transitionsAfter } from './journal-projection.js';
import { type PackedTransitions, packTransitions } from './packed-transitions.js';
import type { RunGraph } from './run-graph.js';
import { type UnitView, unitViews } from './unit-view.js';
import { type WhyLink, whyLinks } from './why-links.js';

/** The page of one run, as data. */
export interface RunView {
  readonly banner: Banner;
  readonly explanation: Explanation;
  readonly envelope?: Envelope;
  readonly segments: readonly SegmentView[];
  readonly body: UnitBody;
  readonly graph: RunGraph;
  /** True where the files of the workflow no longer load, so that only what happened is drawn. */
  readonly withoutFile?: boolean;
  readonly units: readonly UnitView[];
  /** How many units there are, where not all are listed. */
  readonly unitsTotal: number;
  /** The entries behind the causes. */
  readonly links: readonly WhyLink[];
  /** To be unpacked with `unpackTransitions`. */
  readonly transitions: PackedTransitions;
  readonly head: { readonly seq: number; readonly at: number };
  /** The tabs that have something to show. */
  readonly tabs: readonly RunTab[];
}

export type RunTab = 'why' | 'timeline' | 'conversation' | 'facts' | 'journal' | 'what-if';

export interface SegmentView {
  readonly segment: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly endSeq?: number;
  /** Why it was opened, and by whom; absent for the first. */
  readonly because?: string;
  readonly by?: string;
  readonly kind?: string;
  readonly summary?: string;
}

export interface RunViewOptions {
  /** The files of a workflow, from `workflowDrawing`. */
  readonly loaded?: LoadedDocument | undefined;
  readonly store?: string | undefined;
  /** Leaves out the transitions up to this entry, which the reader has. */
  readonly after?: number;
  /** The journal as it was projected before, where someone keeps that. */
  readonly projection?: JournalProjection;
}

/** Projects what is stored of a run onto its page. Pure: the same record gives the same page. */
export function runView(record: RunRecord | DamagedRun, options: RunViewOptions = {}): RunView {
  const { loaded, store, after = 0 } = options;
  if ('damage' in record) return damagedView(record, explainDamage(record));
  const { journal, ending, summary } = record;
  const { root, names, transitions } = options.projection ?? new JournalProjection(journal);
  const explanation = explainRun(record, { store, root });
  const { units, total } = unitViews(root, names);
  const body = bodyOf(root);
  const last = journal.at(-1);
  return {
    banner: bannerOf({ headline: explanation.headline, waiting: explanation.waiting.length, ending, summary }),
    explanation,
    ...(ending !== undefined && { envelope: ending }),
    segments: segmentsOf(journal),
    body,
    graph: drawRun(root, names, loaded),
    ...(body === 'workflow' && loaded === undefined && { withoutFile: true }),
    units,
    unitsTotal: total,
    links: whyLinks(root, ending),
    transitions: packTransitions(transitionsAfter(transitions, after)),
    head: { seq: last?.seq ?? 0, at: last?.at ?? summary.startedAt },
    tabs: tabsOf(units),
  };
}

function damagedView({ summary, damage }: DamagedRun, explanation: Explanation): RunView {
  const { headline } = explanation;
  return {
    banner: bannerOf({ headline, waiting: 0, ending: undefined, summary: { ...summary, damage } }),
    explanation,
    segments: [],
    body: 'flow',
    graph: { nodes: [], edges: [] },
    units: [],
    unitsTotal: 0,
    links: [],
    transitions: packTransitions([]),
    head: { seq: 0, at: summary.updatedAt },
    tabs: ['why', 'journal'],
  };
}

function tabsOf(units: readonly UnitView[]): readonly RunTab[] {
  const has = (body: UnitBody): boolean => units.some((unit) => unit.body === body);
  return [
    'why',
    'timeline',
    ...(has('agent') ? (['conversation'] as const) : []),
    ...(has('convergence') ? (['facts'] as const) : []),
    'journal',
    'what-if',
  ];
}

function segmentsOf(journal: readonly JournalEntry[]): readonly SegmentView[] {
  const segments: SegmentView[] = [];
  for (const entry of journal) {
    const { segment, at: startedAt, seq } = entry;
    if (entry.type === 'run_started') segments.push({ segment, startedAt });
    if (entry.type === 'segment_opened') {
      const { because, by } = entry.data;
      segments.push({ segment, startedAt, because, ...(by !== undefined && { by }) });
    }
    const open = segments.at(-1);
    if (entry.type === 'segment_ended' && open !== undefined) {
      const { termination, summary } = entry.data.envelope;
      segments[segments.length - 1] = { ...open, endedAt: entry.at, endSeq: seq, kind: termination.kind, summary };
    }
  }
  return segments;
}
