import { userName } from '../answer/user-name.js';
import type { Invocation } from '../command-line/command.js';
import { ensureWorker } from '../detached/ensure-worker.js';
import { workerNeed } from '../detached/worker-need.js';
import type { Store } from '../store/open-store.js';
import { type OpenDashboard, openDashboard } from './open-dashboard.js';

export type ShowInvocation = Pick<Invocation, 'cwd' | 'env' | 'terminal'> & {
  readonly options: { readonly store: string | undefined };
};

export interface Shown
  extends Partial<Pick<Parameters<typeof openDashboard>[0], 'address' | 'allowedHosts' | 'port' | 'run'>> {
  readonly readOnly?: boolean;
  readonly by?: string | undefined;
}

/** Serves a store to browsers, with the user, the secrets and the worker of a command. */
export function showRuns(
  store: Store,
  { cwd, env, terminal, options }: ShowInvocation,
  shown: Shown,
): Promise<OpenDashboard> {
  const { readOnly = false, by = userName(env), ...rest } = shown;
  return openDashboard({
    store,
    named: options.store,
    mask: (text) => terminal.masked(text),
    by,
    cwd,
    env,
    readOnly,
    ensureWorker: async (runIds) => {
      await ensureWorker(workerNeed(store, { cwd, env }), runIds);
    },
    ...rest,
  });
}
