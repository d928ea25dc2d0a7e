import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { guardEngine } from '../door/engine-door.js';
import { type Clock, systemClock } from '../port/clock.js';
import type { Engine, JournalQuery, OutboxItem } from '../port/engine.js';
import { host } from '../port/host.js';
import type { JournalEntry } from '../port/journal-entry.js';
import type { ProviderLimits } from '../port/provider-gate.js';
import { receiveCancel } from '../rules/cancel-receipt.js';
import { leaseUntil, selectDueNotices, selectLease } from '../rules/notices.js';
import { processSharing } from '../sharing/process-sharing.js';
import { MemoryRun } from './memory-run.js';
import { MemoryRuns } from './memory-runs.js';
import { memoryWorker } from './memory-worker.js';
import { pageOf } from './page.js';

/** Options of the memory engine. */
export interface MemoryEngineOptions {
  readonly clock?: Clock;
  /** Limits for calls of models, by provider, within this process. A provider that asks one run to wait is left alone by all of them. */
  readonly providerLimits?: ProviderLimits;
}

/** Keeps runs in this process: no dependency, no serialisation, gone with the process. */
export function memoryEngine(options: MemoryEngineOptions = {}): Engine {
  const clock = options.clock ?? systemClock;
  return engineOf(new MemoryRuns(clock), processSharing('memoryEngine', { ...options, clock }));
}

/** The engine of these runs, with its door. */
export function engineOf(all: MemoryRuns, sharing: Pick<Engine, 'providers' | 'spending'>): Engine {
  const { clock, runs, readyListeners } = all;
  const { dueNotices, leaseNotices, settleNotice } = noticesOf(runs, clock);
  const engine: Engine = {
    name: 'memory',
    clock,
    durable: false,
    ...sharing,
    start: async (request) => all.start(request),
    reopen: async (request) =>
      runs.get(request.runId)?.reopen(request, all.laterTurn(request.runId)) ?? { status: 'unknown' },
    claim: async (runId) => runs.get(runId)?.claim(),
    answer: async (runId, requestId, answer) => runs.get(runId)?.answer(requestId, answer) ?? { status: 'unknown' },
    cancel: async (runId, request) => runs.get(runId)?.cancel(request) ?? receiveCancel(undefined),
    openRequests: async (runId) => runs.get(runId)?.openRequests ?? [],
    ending: async (runId) => runs.get(runId)?.ending,
    waitForEnding: (runId, segment, signal) =>
      runs.get(runId)?.waitForEnding(segment, signal) ??
      Promise.reject(new FullstopError('RUN_NOT_FOUND', `There is no run ${runId}.`)),
    waitUntilReady: async (runId) => runs.get(runId)?.waitUntilReady(),
    summary: async (runId) => runs.get(runId)?.summary,
    list: async (filter = {}) =>
      pageOf(
        Array.from(runs.values(), ({ summary }) => summary),
        filter,
      ),
    journal: async (runId, query = {}) => entriesOf(runs.get(runId)?.entries ?? [], query),
    dueNotices,
    leaseNotices,
    settleNotice,

    importRun: async (entries) => {
      const run = MemoryRun.from(entries, clock, all);
      if (runs.has(run.identity.runId)) return 'exists';
      runs.set(run.identity.runId, run);
      return 'imported';
    },
    worker: (definitions, workerOptions = {}) =>
      memoryWorker({ engine, definitions, options: { ...newWorkerId(), ...workerOptions }, runs, readyListeners }),
    close: async () => undefined,
  };
  return guardEngine(engine);
}

function newWorkerId(): { readonly workerId: string } {
  return { workerId: `worker_${host.crypto.randomUUID()}` };
}

type Notices = Pick<Engine, 'dueNotices' | 'leaseNotices' | 'settleNotice'>;

function noticesOf(runs: ReadonlyMap<string, MemoryRun>, clock: Clock): Notices {
  const all = (): readonly OutboxItem[] => [...runs.values()].flatMap(({ outbox }) => outbox);
  return {
    dueNotices: async (limit = 100) => selectDueNotices(all(), clock.now(), limit),
    leaseNotices: async (lease) => {
      const now = clock.now();
      const leased = selectLease(all(), now, lease);
      const dueAt = leaseUntil(lease, now);
      const ids = new Set(leased.map(({ id }) => id));
      for (const run of runs.values()) run.leaseNotices(ids, dueAt);
      return leased.map((item) => ({ ...item, dueAt }));
    },
    settleNotice: async (id, retryAt, leasedUntil) => {
      for (const run of runs.values()) run.settleNotice(id, retryAt, leasedUntil);
    },
  };
}

/** The entries of a journal that a query asks for. */
function entriesOf(journal: readonly JournalEntry[], query: JournalQuery): readonly JournalEntry[] {
  const { after = 0, limit, types, newest } = query;
  const later = journal.slice(after);
  const wanted = types === undefined ? later : later.filter(({ type }) => types.includes(type));
  return newest === undefined ? wanted.slice(0, limit) : wanted.slice(Math.max(0, wanted.length - newest));
}
