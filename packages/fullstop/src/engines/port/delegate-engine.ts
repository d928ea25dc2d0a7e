import type { Engine, EngineWorker, RunnableDefinition } from './engine.js';

/** The calls of an engine as plain functions, so that a wrapper can spread them whatever the engine is made of. */
export function delegateEngine(engine: Engine): Engine {
  return {
    name: engine.name,
    clock: engine.clock,
    durable: engine.durable,
    ...(engine.encoded !== undefined && { encoded: engine.encoded }),
    ...(engine.queued !== undefined && { queued: engine.queued }),
    ...(engine.providers !== undefined && { providers: engine.providers }),
    ...(engine.spending !== undefined && { spending: engine.spending }),
    start: (request) => engine.start(request),
    reopen: (request) => engine.reopen(request),
    claim: (runId, workerId) => engine.claim(runId, workerId),
    answer: (runId, requestId, answer) => engine.answer(runId, requestId, answer),
    cancel: (runId, request) => engine.cancel(runId, request),
    openRequests: (runId) => engine.openRequests(runId),
    ending: (runId) => engine.ending(runId),
    waitForEnding: (runId, segment, signal) => engine.waitForEnding(runId, segment, signal),
    waitUntilReady: (runId) => engine.waitUntilReady(runId),
    summary: (runId) => engine.summary(runId),
    list: (filter) => engine.list(filter),
    journal: (runId, query) => engine.journal(runId, query),
    dueNotices: (limit) => engine.dueNotices(limit),
    leaseNotices: (lease) => engine.leaseNotices(lease),
    settleNotice: (id, retryAt, leasedUntil) => engine.settleNotice(id, retryAt, leasedUntil),
    importRun: (entries) => engine.importRun(entries),
    worker: (definitions, options) => engine.worker(definitions, options),
    close: () => engine.close(),
  };
}

/** The calls of a worker as plain functions, for a wrapper of engines that also wraps what its workers are given later. */
export function delegateWorker(
  worker: EngineWorker,
  wrap: (definition: RunnableDefinition) => RunnableDefinition,
): EngineWorker {
  return {
    workerId: worker.workerId,
    add: (definitions) => worker.add(definitions.map(wrap)),
    stop: (graceMs) => worker.stop(graceMs),
  };
}
