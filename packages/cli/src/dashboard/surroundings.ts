import type { Store } from '../store/open-store.js';
import type { Mask } from '../terminal/terminal.js';
import type { RunPages } from './reads/run-pages.js';
import type { RowMaker } from './reads/run-row.js';

/** Everything that routes of the dashboard may use. */
export interface DashboardSurroundings {
  readonly store: Store;
  /** The store as it was named on the command line, for commands to copy. */
  readonly named: string | undefined;
  readonly rows: RowMaker;
  readonly pages: RunPages;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder whose workflow files can be started. */
  readonly cwd: string;
  /** Who acts, unless a request says otherwise. */
  readonly by: string;
  readonly readOnly: boolean;
  readonly version: string;
  readonly mask: Mask;
  /** Sees to it that a worker executes these runs, which are ready. */
  ensureWorker(runIds: readonly string[]): Promise<void>;
  /** Aborted when the server is closed. */
  readonly closing: AbortSignal;
  /** The run that the dashboard was opened for. */
  readonly run?: string | undefined;
}
