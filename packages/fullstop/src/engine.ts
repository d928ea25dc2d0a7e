/** For authors of engines: what an engine keeps, promises and receives. */
/// <reference path="./index.ts" preserve="true" />
export { guardEngine } from './engines/door/engine-door.js';
export { type Clock, systemClock } from './engines/port/clock.js';
export {
  type AbortSignalLike,
  type Engine,
  type EngineWorker,
  FencedError,
  type InboxMessage,
  type JournalQuery,
  type NoticeLease,
  type OutboxItem,
  type ReopenReceipt,
  type ReopenRequest,
  type RunDamage,
  type RunFilter,
  RunIdConflict,
  type RunIdentity,
  type RunnableDefinition,
  type RunPage,
  type RunSession,
  type RunState,
  type RunSummary,
  type StartRequest,
  type WorkerOptions,
} from './engines/port/engine.js';
export type { StoredEnvelope } from './engines/port/envelope.js';
export type { ProcessLike } from './engines/port/host.js';
export type { CancelRequest } from './engines/port/journal-entry.js';
export type { ProviderGate, ProviderTurn } from './engines/port/provider-gate.js';
export type { ReceivedAnswer, RunRequest } from './engines/port/request.js';
export type { SharedBudgetState, Spending, SpendingReport } from './engines/port/spending.js';
export type { Charge } from './engines/port/usage.js';
