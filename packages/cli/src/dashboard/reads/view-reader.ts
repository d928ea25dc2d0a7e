import type { DamagedRun, RunRecord } from '../../why/explain-run.js';
import { type RunView, runView } from '../view/run-view.js';
import { workflowDrawing } from '../view/workflow-drawing.js';
import type { RecordReader } from './record-reader.js';

/** Projects runs onto their pages, and keeps the pages that were looked at last. */
export interface ViewReader {
  /** The page of a record, without the transitions up to an entry that the reader has. */
  viewOf(record: RunRecord | DamagedRun, after: number): Promise<RunView>;
}

export interface ViewSources {
  readonly reader: RecordReader;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The store, where it was named on the command line. */
  readonly store?: string | undefined;
}

interface KeptView {
  readonly journal: RunRecord['journal'];
  /** The parts of a page besides its journal: where the run is, and what it asks. */
  readonly state: string;
  /** Promised, so that it is drawn once however many ask for it. */
  readonly view: Promise<RunView>;
}

/** Several tabs are several readers of one page. */
const mostViews = 8;

export function viewReader({ reader, env, store }: ViewSources): ViewReader {
  const kept = new Map<string, KeptView>();
  const draw = async (record: RunRecord, after: number): Promise<RunView> => {
    const loaded = await workflowDrawing(record.journal, { ...env });
    return runView(record, { loaded, store, after, projection: reader.projectionOf(record) });
  };
  return {
    viewOf: async (record, after) => {
      if ('damage' in record) return runView(record, { store });
      const { journal, summary, requests } = record;
      const state = JSON.stringify([summary, requests]);
      const known = kept.get(summary.runId);
      if (after === 0 && known?.journal === journal && known.state === state) return known.view;
      const view = draw(record, after);
      if (after > 0) return view;
      kept.delete(summary.runId);
      kept.set(summary.runId, { journal, state, view });
      view.catch(() => kept.delete(summary.runId));
      const [oldest] = kept.keys();
      if (kept.size > mostViews && oldest !== undefined) kept.delete(oldest);
      return view;
    },
  };
}
