import type { Store } from '../store/open-store.js';
import type { WorkerNeed } from './ensure-worker.js';

/** The worker that a store needs, started with the same surroundings as this process. */
export function workerNeed({ location, loaded }: Store, { cwd, env }: Pick<WorkerNeed, 'cwd' | 'env'>): WorkerNeed {
  const { file, server, beside } = location;
  const queues = Object.keys(loaded.config.queues ?? {});
  return { store: server ?? file, isServer: server !== undefined, beside, config: loaded.file, queues, cwd, env };
}
