import type { Clock } from '../port/clock.js';
import type { Commits } from './commits.js';
import type { PruneOptions, StoreEngine } from './engine-options.js';

/** How many runs a prune removes with one commit, so that others get their turn in between. */
const pruneAtOnce = 100;

/** Told which runs are gone, by whoever keeps something of them elsewhere. */
export type Forget = (runIds: readonly string[]) => Promise<void>;

/** The part of the engine that removes runs. */
export function upkeepOf(
  commits: Commits,
  clock: Clock,
  forget: Forget = async () => undefined,
): Pick<StoreEngine, 'erase' | 'prune'> {
  return {
    erase: async (runId, { by } = {}) => {
      const erased = await commits.ask('erase', { runId, now: clock.now(), by: by ?? null });
      // Also where it was erased before, so that what was interrupted can be done again.
      if (erased !== 'running') await forget([runId]);
      return erased;
    },
    prune: async ({ endedBefore, keep = 0, includeOpen = false }: PruneOptions): Promise<number> => {
      let removed = 0;
      for (;;) {
        const some = await commits.ask('prune', { endedBefore, keep, includeOpen, limit: pruneAtOnce });
        await forget(some);
        removed += some.length;
        if (some.length < pruneAtOnce) return removed;
      }
    },
  };
}
