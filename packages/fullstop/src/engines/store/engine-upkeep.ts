import type { Clock } from '../port/clock.js';
import type { Commits } from './commits.js';
import type { PruneOptions, StoreEngine } from './engine-options.js';

/** How many runs a prune removes with one commit, so that others get their turn in between. */
const pruneAtOnce = 100;

/** The part of the engine that removes runs. */
export function upkeepOf(commits: Commits, clock: Clock): Pick<StoreEngine, 'erase' | 'prune'> {
  return {
    erase: (runId, { by } = {}) => commits.ask('erase', { runId, now: clock.now(), by: by ?? null }),
    prune: async ({ endedBefore, keep = 0, includeOpen = false }: PruneOptions): Promise<number> => {
      let removed = 0;
      for (;;) {
        const some = await commits.ask('prune', { endedBefore, keep, includeOpen, limit: pruneAtOnce });
        removed += some;
        if (some < pruneAtOnce) return removed;
      }
    },
  };
}
