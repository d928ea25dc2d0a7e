import { setImmediate } from 'node:timers/promises';
import type { RunRecord } from '../../why/explain-run.js';
import { JournalProjection } from '../view/journal-projection.js';

type Journal = RunRecord['journal'];

/** The projections of journals, kept as long as these are. */
export interface KeptProjections {
  /** Projects a journal in parts, between which others get their turn. */
  prepare(journal: Journal): Promise<void>;
  /** A projection grows with the latest journal only: whoever still has an earlier one makes another. */
  handOn(before: Journal, journal: Journal): void;
  of(journal: Journal): JournalProjection;
}

const partEntries = 2000;

export function keptProjections(): KeptProjections {
  const projections = new WeakMap<Journal, JournalProjection>();
  return {
    prepare: async (journal) => {
      const projection = new JournalProjection([]);
      for (let end = partEntries; end < journal.length; end += partEntries) {
        projection.takeUntil(journal, end);
        await setImmediate();
      }
      projection.grow(journal);
      projections.set(journal, projection);
    },
    handOn: (before, journal) => {
      const projection = projections.get(before);
      if (projection === undefined || before === journal) return;
      projections.delete(before);
      projections.set(journal, projection);
    },
    of: (journal) => {
      const projection = projections.get(journal) ?? new JournalProjection(journal);
      projections.set(journal, projection);
      projection.grow(journal);
      return projection;
    },
  };
}
