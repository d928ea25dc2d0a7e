import type { JournalEntry } from 'fullstop/journal';
import type { Session } from '../dashboard/api/session.js';
import { type Conversation, conversationOf } from '../dashboard/view/conversation.js';
import { factsOf } from '../dashboard/view/facts.js';
import { type RunTab, type RunView, type RunViewOptions, runView } from '../dashboard/view/run-view.js';
import { timelineOf } from '../dashboard/view/timeline.js';
import { whatIfView } from '../dashboard/view/what-if-view.js';
import type { DamagedRun, RunRecord } from '../why/explain-run.js';

/** Everything that a report shows: the bodies of the API by their paths, and the lists that the page reads page by page. */
export interface ReportData {
  readonly runId: string;
  readonly madeAt: number;
  readonly bodies: Readonly<Record<string, unknown>>;
  readonly conversation?: Conversation;
  readonly journal?: readonly JournalEntry[];
  /** Said where something is left out because a file with it would be too large. */
  readonly leftOut?: string;
}

export interface ReportParts extends Pick<RunViewOptions, 'loaded' | 'store'> {
  readonly session: Session;
  /** The row of the list for this run. */
  readonly row: object;
  readonly madeAt: number;
}

/** A browser opens a file of this size without effort. */
const mostCharacters = 24_000_000;

/** Projects a run onto the data of its report. */
export function reportData(record: RunRecord | DamagedRun, parts: ReportParts): ReportData {
  const { session, row, madeAt, loaded, store } = parts;
  const { runId } = record.summary;
  const path = `/api/runs/${encodeURIComponent(runId)}`;
  const view = runView(record, { loaded, store });
  const base = { runId, madeAt };
  if ('damage' in record)
    return { ...base, bodies: { '/api/session': session, [path]: { ...without(view, ['journal']), row } } };
  const { journal } = record;
  const conversation = conversationOf(record, { limit: Number.POSITIVE_INFINITY });
  const size = sizeOf(journal, conversation);
  const isLarge = size > mostCharacters;
  const shown = isLarge ? without(view, ['journal', 'conversation']) : view;
  return {
    ...base,
    bodies: {
      '/api/session': session,
      [path]: { ...shown, row },
      [`${path}/timeline`]: timelineOf(record),
      [`${path}/facts`]: factsOf(record),
      [`${path}/what-if`]: whatIfView(record),
    },
    ...(isLarge
      ? {
          leftOut: `Its ${journal.length} entries are too much for a report; fullstop export ${runId} has all of them.`,
        }
      : { journal, conversation }),
  };
}

function without(view: RunView, tabs: readonly RunTab[]): RunView {
  return { ...view, tabs: view.tabs.filter((tab) => !tabs.includes(tab)) };
}

/** Counted until it is too much, so that a huge journal is not written out twice. */
function sizeOf(journal: readonly JournalEntry[], { messages }: Conversation): number {
  let size = 0;
  for (const each of [...journal, ...messages]) {
    size += JSON.stringify(each).length;
    if (size > mostCharacters) break;
  }
  return size;
}
