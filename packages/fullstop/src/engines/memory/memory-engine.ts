import { type Clock, systemClock } from '../port/clock.js';
import {
  type AbortSignalLike,
  type Definition,
  type Engine,
  type JournalQuery,
  type OutboxItem,
  type ReopenReceipt,
  type ReopenRequest,
  type RunFilter,
  RunIdConflict,
  type RunPage,
  type RunSummary,
  type Session,
  type StartRequest,
  type Worker,
  type WorkerOptions,
} from '../port/engine.js';
import type { Envelope } from '../port/envelope.js';
import { host } from '../port/host.js';
import type { CancelRequest, JournalEntry } from '../port/journal-entry.js';
import type { Answer, AnswerReceipt, OpenRequest } from '../port/request.js';
import { sameJson } from '../port/same-json.js';
import { MemoryRun, type Workers } from './memory-run.js';
import { memoryWorker } from './memory-worker.js';
import { pageOf } from './page.js';

export interface MemoryEngineOptions {
  readonly clock?: Clock;
}

/** Keeps runs in this process: no dependency, no serialisation, gone with the process. */
export function memoryEngine(options: MemoryEngineOptions = {}): Engine {
  const clock = options.clock ?? systemClock;
  const runs = new Map<string, MemoryRun>();
  /** Called whenever a run becomes ready, for workers that wait for one. */
  const readyListeners = new Set<() => void>();
  const workers: Workers = {
    onReady: () => {
      for (const listener of readyListeners) listener();
    },
    any: () => readyListeners.size > 0,
  };

  const start = async (request: StartRequest): Promise<'started' | 'exists'> => {
    const existing = runs.get(request.runId);
    if (existing !== undefined) return confirmSame(existing, request);
    runs.set(request.runId, new MemoryRun(request, clock, workers));
    workers.onReady();
    return 'started';
  };

  const engine: Engine = {
    name: 'memory',
    clock,
    durable: false,
    start,
    reopen: async (request: ReopenRequest): Promise<ReopenReceipt> =>
      runs.get(request.runId)?.reopen(request) ?? { status: 'unknown' },
    claim: async (runId: string): Promise<Session | undefined> => runs.get(runId)?.claim(),
    answer: async (runId: string, requestId: string, answer: Answer): Promise<AnswerReceipt> =>
      runs.get(runId)?.answer(requestId, answer) ?? { status: 'unknown' },
    cancel: async (runId: string, request: CancelRequest) => runs.get(runId)?.cancel(request) ?? 'unknown',
    openRequests: async (runId: string): Promise<readonly OpenRequest[]> => runs.get(runId)?.openRequests ?? [],
    ending: async (runId: string): Promise<Envelope | undefined> => runs.get(runId)?.ending,
    waitForEnding: (runId: string, segment: number, signal?: AbortSignalLike): Promise<Envelope> =>
      runs.get(runId)?.waitForEnding(segment, signal) ?? Promise.reject(new Error(`There is no run ${runId}.`)),
    waitUntilReady: async (runId: string): Promise<void> => runs.get(runId)?.waitUntilReady(),
    summary: async (runId: string): Promise<RunSummary | undefined> => runs.get(runId)?.summary,
    list: async (filter: RunFilter = {}): Promise<RunPage> =>
      pageOf(
        [...runs.values()].map((run) => run.summary),
        filter,
      ),
    journal: async (runId: string, query: JournalQuery = {}): Promise<readonly JournalEntry[]> =>
      entriesOf(runs.get(runId)?.entries ?? [], query),
    dueNotices: async (limit = 100): Promise<readonly OutboxItem[]> =>
      dueNotices([...runs.values()], clock.now(), limit),
    settleNotice: async (id: string, retryAt?: number): Promise<void> => {
      for (const run of runs.values()) run.settleNotice(id, retryAt);
    },
    importRun: async (entries: readonly JournalEntry[]): Promise<'imported' | 'exists'> => {
      const run = MemoryRun.from(entries, clock, workers);
      if (runs.has(run.identity.runId)) return 'exists';
      runs.set(run.identity.runId, run);
      return 'imported';
    },
    worker: (definitions: readonly Definition[], workerOptions: WorkerOptions = {}): Worker =>
      memoryWorker({
        engine,
        definitions,
        options: { workerId: `worker_${host.crypto.randomUUID()}`, ...workerOptions },
        runs,
        readyListeners,
      }),
    close: async (): Promise<void> => undefined,
  };
  return engine;
}

function confirmSame({ identity, input }: MemoryRun, request: StartRequest): 'exists' {
  const same = identity.name === request.name && identity.version === request.version && sameJson(input, request.input);
  if (!same) throw new RunIdConflict(request.runId);
  return 'exists';
}

/** The entries of a journal that a query asks for. */
function entriesOf(journal: readonly JournalEntry[], query: JournalQuery): readonly JournalEntry[] {
  const { after = 0, limit, types, newest } = query;
  const behind = journal.slice(after);
  const wanted = types === undefined ? behind : behind.filter(({ type }) => types.includes(type));
  return newest === undefined ? wanted.slice(0, limit) : wanted.slice(Math.max(0, wanted.length - newest));
}

function dueNotices(runs: readonly MemoryRun[], now: number, limit: number): readonly OutboxItem[] {
  return runs
    .flatMap((run) => run.outbox)
    .filter((item) => item.dueAt <= now)
    .sort((left, right) => left.dueAt - right.dueAt)
    .slice(0, limit);
}
