import { type Clock, monotonicOf } from '../../port/clock.js';
import type { Commits } from '../commits.js';
import type { RunCopy, StoreEngine } from '../engine-options.js';
import { toEntries } from '../entry-row.js';
import { importedRun } from '../import-run.js';
import type { Owner } from '../operations.js';
import type { Watch } from '../watch.js';

type Moving = Pick<
  StoreEngine,
  'adoptErasures' | 'adoptRun' | 'copyRun' | 'erasures' | 'movedTo' | 'runIds' | 'seal' | 'unseal'
>;

interface MovingParts {
  readonly commits: Commits;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly encoded: boolean;
}

const idsAtOnce = 1000;

/** The part of the engine that hands a store over to another, and receives one. */
export function movingOf({ commits, watch, clock, owner, encoded }: MovingParts): Moving {
  const monotonic = monotonicOf(clock);
  return {
    seal: (to) => commits.submit('seal', () => ({ to, now: clock.now(), ownerId: owner.id, monotonic: monotonic() })),
    unseal: () => commits.ask('unseal', undefined),
    movedTo: async () => (await commits.ask('movedTo', undefined)) ?? undefined,
    runIds: (before) => commits.ask('runIds', { before: before ?? null, limit: idsAtOnce }),
    copyRun: (runId) => copyRun(commits, runId, encoded),
    adoptRun: async ({ entries, belongings }) => {
      const input = importedRun(entries, encoded);
      const imported = await commits.ask('importRun', { ...input, belongings });
      watch.changed(input.run.runId);
      return imported;
    },
    erasures: () => commits.ask('erasures', undefined),
    adoptErasures: (erasures) => commits.ask('bury', { erasures }),
  };
}

async function copyRun(commits: Commits, runId: string, encoded: boolean): Promise<RunCopy | undefined> {
  const [belongings, stored] = await Promise.all([
    commits.ask('belongings', { runId }),
    commits.ask('journal', { runId, after: 0, limit: -1, types: null, newest: null }),
  ]);
  if (belongings === undefined) return undefined;
  const entries = toEntries(runId, stored);
  // A hash of encoded text would seem broken to everyone who has only the decoded text.
  return {
    entries: encoded ? entries.map(({ hash: _hash, ...entry }) => entry as (typeof entries)[number]) : entries,
    belongings,
  };
}
