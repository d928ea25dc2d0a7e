import type { Store } from '../store/open-store.js';
import type { WorkerNeed } from './ensure-worker.js';

/** The worker that a store needs, started with the same surroundings as this process. */
export function workerNeed({ location, loaded }: Store, { cwd, env }: Pick<WorkerNeed, 'cwd' | 'env'>): WorkerNeed {
  return { store: location.server ?? location.file, beside: location.beside, config: loaded.file, cwd, env };
}
