import { type Clock, monotonicOf } from '../port/clock.js';
import type { Engine, JournalQuery, NoticeLease, OutboxItem, RunFilter, RunPage, RunSummary } from '../port/engine.js';
import type { Envelope } from '../port/envelope.js';
import type { EntryData, JournalEntry } from '../port/journal-entry.js';
import { cursorOf } from '../port/list-cursor.js';
import { pageSize } from '../port/page-size.js';
import type { OpenRequest } from '../port/request.js';
import { summarizeFacts } from '../rules/ending-facts.js';
import type { Commits } from './commits.js';
import { damagedError } from './damaged-error.js';
import type { StoreEngine } from './engine-options.js';
import { toEntries, toEnvelope, toIdentity } from './entry-row.js';
import type { Instant, StoredSummary } from './operations.js';
import { readVerified } from './read-verified.js';

type Reads = Pick<
  Engine,
  'dueNotices' | 'ending' | 'journal' | 'leaseNotices' | 'list' | 'openRequests' | 'settleNotice' | 'summary'
> &
  Pick<StoreEngine, 'changes' | 'check' | 'readVerified' | 'tally' | 'verify'>;

const everything = -1;
const mostChanges = 1000;

interface ReadsParts {
  readonly commits: Commits;
  readonly clock: Clock;
  readonly encoded: boolean;
}

/** The part of the engine that reads, and that sends notices off. */
export function readsOf({ commits, clock, encoded }: ReadsParts): Reads {
  const monotonic = monotonicOf(clock);
  const instant = (): Instant => ({ now: clock.now(), monotonic: monotonic() });
  return {
    summary: async (runId: string): Promise<RunSummary | undefined> => {
      const stored = await commits.ask('summary', { runId, ...instant() });
      return stored && toSummary(stored);
    },
    list: async (filter: RunFilter = {}): Promise<RunPage> => {
      const limit = pageSize(filter);
      const found = await commits.ask('list', { ...filter, limit: limit + 1, ...instant() });
      const runs = found.slice(0, limit).map(toSummary);
      const last = runs.at(-1);
      return { runs, ...(found.length > limit && last !== undefined && { next: cursorOf(last) }) };
    },
    journal: async (runId: string, query: JournalQuery = {}): Promise<readonly JournalEntry[]> => {
      const entries = await commits.ask('journal', {
        runId,
        after: query.after ?? 0,
        limit: query.limit ?? everything,
        types: query.types ?? null,
        newest: query.newest ?? null,
      });
      const opened = toEntries(runId, entries);
      // A hash of encoded text would seem broken to everyone who has only the decoded text.
      return encoded ? opened.map(({ hash: _hash, ...entry }) => entry as JournalEntry) : opened;
    },
    openRequests: async (runId: string): Promise<readonly OpenRequest[]> => {
      const texts = await commits.ask('openRequests', { runId });
      return texts.map((text) => (JSON.parse(text) as EntryData['request_opened']).request);
    },
    ending: async (runId: string): Promise<Envelope | undefined> => {
      const [status] = await commits.ask('status', { runIds: [runId] });
      if (status === undefined) return undefined;
      if (status.damage !== null) throw damagedError(status.damage);
      return status.ending === null ? undefined : toEnvelope(status.ending);
    },
    dueNotices: (limit = 100): Promise<readonly OutboxItem[]> =>
      commits.submit('dueNotices', () => ({ now: clock.now(), limit })),
    leaseNotices: (lease: NoticeLease): Promise<readonly OutboxItem[]> =>
      commits.submit('leaseNotices', () => ({ ...lease, now: clock.now() })),
    settleNotice: async (id: string, retryAt?: number, leasedUntil?: number): Promise<void> => {
      await commits.ask('settleNotice', { id, retryAt: retryAt ?? null, leasedUntil: leasedUntil ?? null });
    },
    tally: (options = {}) => commits.ask('tally', { ...options, now: clock.now() }),
    changes: (after) => commits.ask('changes', { after: after ?? null, limit: mostChanges }),
    check: () => commits.ask('check', undefined),
    verify: (runId, head) => commits.ask('verify', { runId, head: head ?? null }),
    readVerified: (runId, follow) => readVerified(commits, runId, follow),
  };
}

function toSummary(stored: StoredSummary): RunSummary {
  const { state, worker, segment, startedAt, updatedAt, ending, damage } = stored;
  return {
    ...toIdentity(stored),
    state,
    ...(worker !== null && { worker }),
    ...(stored.isOrphaned && { orphaned: true }),
    ...(stored.silentSince !== null && { silentSince: stored.silentSince }),
    segment,
    startedAt,
    updatedAt,
    ...(ending !== null && summarizeFacts(ending)),
    ...(damage !== null && { damage }),
  };
}
