import type { RunRow } from '../api/run-row.js';
import type { RunView } from '../view/run-view.js';
import { type RecordReader, recordReader } from './record-reader.js';
import type { RowMaker, RowSources } from './run-row.js';
import { viewReader } from './view-reader.js';

/** The page of a run: its view with the same row that the list shows. */
export type RunPageView = RunView & { readonly row: RunRow };

/** Puts the pages of runs together, from journals that are read once. */
export interface RunPages {
  readonly reader: RecordReader;
  /** The page of a run, without the transitions up to an entry that the reader has. */
  pageOf(runId: string, after: number): Promise<RunPageView>;
  /** Begins with the page that an address of the dashboard will ask for, while the browser still loads the rest. */
  prepare(path: string): void;
}

export interface RunPagesSources extends RowSources {
  readonly rows: RowMaker;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function runPages({ engine, store, rows, env }: RunPagesSources): RunPages {
  const reader = recordReader(engine);
  const views = viewReader({ reader, env, store });
  const pageOf = async (runId: string, after: number): Promise<RunPageView> => {
    const record = await reader.read(runId);
    const view = await views.viewOf(record, after);
    return { ...view, row: await rows.rowOf(record.summary, view.explanation) };
  };
  return {
    reader,
    pageOf,
    prepare: (path) => {
      const runId = runIn(path);
      // Whatever is wrong is said when the page asks.
      if (runId !== undefined) pageOf(runId, 0).catch(() => undefined);
    },
  };
}

/** The run of an address such as `/runs/r_1/journal`. */
function runIn(path: string): string | undefined {
  const [, name] = /^\/runs\/([^/]+)/.exec(path) ?? [];
  try {
    return name && decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
