import type { Category, Outcome } from '../../termination/ending.js';
import { isMarked, putMark } from '../../termination/errors/marked.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { Clock } from './clock.js';
import type { ConversationPlace } from './conversation-place.js';
import type { Envelope } from './envelope.js';
import type { CancelRequest, EntryDraft, EntryType, JournalEntry, SegmentCause } from './journal-entry.js';
import type { ProviderGate } from './provider-gate.js';
import type { AnswerReceipt, OpenRequest, RequestAnswer } from './request.js';
import type { Spending } from './spending.js';
import type { TokenUsage } from './usage.js';

// Each entry point is a file of its own with its own copy of these classes; the marks make `instanceof` work across them.
const fencedMark: symbol = Symbol.for('fullstop.fenced');
const conflictMark: symbol = Symbol.for('fullstop.run-id-conflict');

/** The facts that identify a run and stay the same for its whole life. */
export interface RunIdentity {
  readonly runId: string;
  readonly name: string;
  readonly version: string;
  /** The run that spawned this one. */
  readonly parent?: { readonly runId: string; readonly scope: string };
  /** The turn of a conversation that this run is. */
  readonly conversation?: ConversationPlace;
}

/** A wish to start a run; the id makes it idempotent. */
export interface StartRequest extends RunIdentity {
  readonly input?: JsonValue;
  readonly options?: JsonObject;
}

/** Opens the segment after an open ending; of two with the same `after` one wins. */
export interface ReopenRequest {
  readonly runId: string;
  /** The segment whose ending was seen. */
  readonly after: number;
  readonly because: SegmentCause;
  readonly by?: string;
  readonly options?: JsonObject;
  /** Answers that are delivered with the opening, or not at all. */
  readonly answers?: Readonly<Record<string, RequestAnswer>>;
}

/** The answer of an engine to a request to open a new segment. */
export type ReopenReceipt =
  | { readonly status: 'opened'; readonly segment: number }
  /** Somebody else was first; `segment` and `by` say who. */
  | { readonly status: 'conflict'; readonly segment: number; readonly by?: string }
  | { readonly status: 'closed'; readonly envelope: Envelope }
  /** A later turn of its conversation was started, which this one must not run beside. */
  | { readonly status: 'superseded'; readonly by: string }
  /** An answer could not be delivered, so nothing was done. */
  | { readonly status: 'refused'; readonly requestId: string; readonly receipt: AnswerReceipt }
  | { readonly status: 'unknown' };

/** Where a run is in its life, as its engine knows it. */
export type RunState = 'ready' | 'running' | 'parked' | 'ended';

/** One row of a list of runs. */
export interface RunSummary extends RunIdentity {
  readonly state: RunState;
  /** Who has it or had it last, where the engine knows. */
  readonly worker?: string;
  /** True while it is running with an owner that is gone: nobody executes it, and whoever claims it continues it. */
  readonly orphaned?: boolean;
  /**
   * When its owner last showed a sign of life, while it is running and that is longer ago than its lease, by the times that are stored. The owner may live
   * all the same: one look cannot tell, and clocks can be set.
   */
  readonly silentSince?: number;
  readonly segment: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly kind?: string;
  readonly category?: Category;
  readonly outcome?: Outcome;
  readonly summary?: string;
  /** The usage of the run up to its ending. */
  readonly usage?: TokenUsage;
  /** Null when a price is not known. */
  readonly costUsd?: number | null;
  /** True when some of the usage, and so of the cost, had to be guessed. */
  readonly estimated?: boolean;
  readonly durationMs?: number;
  /** Set where what is stored of the run cannot be trusted. Such a run is not executed until someone restores it. */
  readonly damage?: RunDamage;
}

/** Where what is stored of a run is damaged, and how. */
export interface RunDamage {
  /** The first entry that cannot be trusted; 0 where it is not about an entry. */
  readonly seq: number;
  readonly reason: string;
}

/** Which runs a list contains. */
export interface RunFilter {
  /** Only runs of this definition. */
  readonly name?: string;
  /** Only runs in this state. */
  readonly state?: RunState;
  /** Only runs that ended with this kind. */
  readonly kind?: string;
  /** Only runs whose ending is of this category. */
  readonly category?: Category;
  /** Only runs whose ending has this outcome. */
  readonly outcome?: Outcome;
  /** Part of the id, the name, the kind or the summary, whatever the case of its letters. Engines with a codec do not search summaries. */
  readonly text?: string;
  /** The beginning of the id. */
  readonly idPrefix?: string;
  /** Only the runs that this one spawned. */
  readonly parentRunId?: string;
  /** Only the turns of this conversation. */
  readonly conversation?: string;
  /** Only runs that no other run spawned. */
  readonly roots?: boolean;
  /** Only runs that started after this instant, in milliseconds since 1970. */
  readonly startedAfter?: number;
  /** Only runs that started before this instant. */
  readonly startedBefore?: number;
  /** Continue after this cursor of an earlier page. */
  readonly cursor?: string;
  /** 50 unless given, at most 1000. */
  readonly limit?: number;
}

/** A part of a list of runs, with where the next part begins. */
export interface RunPage {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** Something for a running segment, delivered in the order it arrived. */
export type InboxMessage =
  | { readonly type: 'answer'; readonly requestId: string; readonly answer: RequestAnswer; readonly at: number }
  | { readonly type: 'cancel'; readonly request: CancelRequest; readonly at: number };

/** A notice of an ending that must reach someone, written with the ending itself. */
export interface OutboxItem {
  /** The receiver's idempotency key. */
  readonly id: string;
  readonly runId: string;
  readonly segment: number;
  readonly target: string;
  readonly payload: string;
  /** The hash of the ending, where the engine has one: the payload is part of the same transaction, and cannot hold it. */
  readonly headHash?: string;
  readonly attempts: number;
  /** When it is to be sent; of one that was leased, when the lease is over. */
  readonly dueAt: number;
}

/** An owner that was lost before it ended its run. */
export interface LostOwner {
  /** It died, or it lived and showed no sign of life for its whole lease: frozen, or kept busy by code that never yields. */
  readonly how: 'died' | 'silent';
  /** Its process, in words. */
  readonly process: string;
  /** When it last showed a sign of life, by its own clock; in milliseconds since 1970. */
  readonly lastSeenAt?: number;
}

/** A wish to send notices. */
export interface NoticeLease {
  /** Whoever leases them must be done by then; if they died, others take over. */
  readonly until: number;
  /** Only notices that were due by then; now unless given. */
  readonly dueBy?: number;
  /** How many notices at most, by their target. Those of other targets are left alone. */
  readonly slots: Readonly<Record<string, number>>;
}

/** One segment of a run in the hands of its owner. Once another owner took it, every write is refused with `FencedError`. */
export interface RunSession {
  readonly identity: RunIdentity;
  readonly segment: number;
  readonly input: JsonValue | undefined;
  readonly options: JsonObject | undefined;
  /** How often an owner of this run died since its last entry; a body that kills its process must not do so for ever. */
  readonly recoveries: number;
  /** Those owners, as far as the engine knows them; oldest first. */
  readonly lostOwners?: readonly LostOwner[] | undefined;
  /** The entries so far, oldest first. */
  readonly history: readonly JournalEntry[];
  /** Queues an entry after those before it; it is durable once `flush` has settled. */
  append(draft: EntryDraft): void;
  /** Makes everything appended so far durable. Undefined when it already is. */
  flush(): Promise<void> | undefined;
  /** The last entry of the segment, its envelope and its outbox rows in one transaction. Returns the head hash. */
  conclude(draft: EntryDraft<'segment_ended'>, outbox: readonly OutboxItem[]): Promise<{ readonly headHash?: string }>;
  /**
   * Parks the run without an ending, until an instant or until a message arrives. The owner is done with it even where
   * this fails: the engine releases the run as soon as it can.
   */
  park(wakeAt: number | undefined): Promise<void>;
  /** Messages that are there are delivered at once, later ones as they arrive. */
  listen(listener: (message: InboxMessage) => void): () => void;
  /**
   * Closes a request whose deadline has passed, so that nobody answers it any more. False when an answer had arrived in time:
   * it reaches the listener. Absent where answers reach the listener at once.
   */
  readonly expire?: ((requestId: string) => Promise<boolean>) | undefined;
  /**
   * To be asked before every effect. Undefined while nobody else can have taken the run; otherwise settles when that is certain
   * again, or rejects with `FencedError`. Absent where runs cannot be taken from a process that lives.
   */
  readonly hold?: (() => Promise<void> | undefined) | undefined;
  /**
   * Returns the place of the run in its queue, because it does nothing but wait for runs that it has spawned. False where it holds none: then
   * it continues as it is. Whoever returned its place works no more in this session: it lets go of the run, which is queued anew.
   */
  readonly stepAside?: (() => boolean) | undefined;
  /** Called when another owner has taken the run. */
  onFenced(listener: () => void): () => void;
}

/** A session with every member, also those that engines may leave out: whoever wraps one and forgets a member does not compile. */
export type WholeSession = { readonly [P in keyof Required<RunSession>]: RunSession[P] };

/** Thrown by a session whose run belongs to another owner by now. */
export class FencedError extends Error {
  constructor(runId: string) {
    super(`The run ${runId} belongs to another worker now.`);
    this.name = 'FencedError';
    putMark(this, fencedMark);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, fencedMark);
  }
}

/** Where a start found a run of the same id with another input, name or version. */
export class RunIdConflict extends Error {
  constructor(runId: string) {
    super(`A run named ${runId} exists already, with another input, name or version.`);
    this.name = 'RunIdConflict';
    putMark(this, conflictMark);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, conflictMark);
  }
}

/** A body that a worker can execute. The run room makes these; engines only call `execute`. */
export interface RunnableDefinition {
  readonly name: string;
  readonly version: string;
  /** The definitions of runs that its own runs spawn: whoever executes the one executes the others. */
  readonly spawns?: readonly RunnableDefinition[];
  execute(session: RunSession, engine: Engine): Promise<void>;
}

/** Options of a worker: its id, and how many runs it executes at once. */
export interface WorkerOptions {
  /** The name under which it claims runs, shown by `runs` and `show`; random unless given. */
  readonly workerId?: string;
  /** How many segments at once; 10 unless given. */
  readonly concurrency?: number;
}

/** A worker of an engine, which executes runs until it is stopped. */
export interface EngineWorker {
  readonly workerId: string;
  /** Executes runs of these definitions too from now on, within the same concurrency; those that it has already stay as they are. */
  add(definitions: readonly RunnableDefinition[]): void;
  /** Claims no new runs; waits for running segments up to the grace period, then lets others claim them. */
  stop(graceMs?: number): Promise<void>;
}

/** Which entries of a journal are read. */
export interface JournalQuery {
  /** Entries after this sequence number. */
  readonly after?: number;
  /** At most so many; all of them unless given. */
  readonly limit?: number;
  /** Only entries of these types. */
  readonly types?: readonly EntryType[];
  /** Only the last so many of them, oldest first all the same; `limit` then says nothing. */
  readonly newest?: number;
}

/** Where runs live. */
export interface Engine {
  /** The name in messages, such as `sqlite`. */
  readonly name: string;
  /** The clock by which runs sleep and requests expire. */
  readonly clock: Clock;
  /** True when runs survive the process. */
  readonly durable: boolean;
  /** True when the stored text of entries is not their JSON text (a payload codec), so that only the store can check its hashes. */
  readonly encoded?: boolean;
  /** True when workers take runs from queues, with limits that hold for all of them: whoever spawns a run for a queue leaves it to them. */
  readonly queued?: boolean;
  /** The limits of providers of models, which all who share the engine keep together; absent where none are given. */
  readonly providers?: ProviderGate;
  /** The usage so far of runs that spawned one another; absent where that is known only when they end. */
  readonly spending?: Spending;
  /** Starting is idempotent by id. A turn of a conversation that is not its next one is refused with `TURN_REFUSED`. */
  start(request: StartRequest): Promise<'started' | 'exists'>;
  /** Opens the next segment of a run that has an open ending; of two with the same `after` exactly one wins. */
  reopen(request: ReopenRequest): Promise<ReopenReceipt>;
  /** Claims a run that is ready or orphaned; undefined when someone else owns it. */
  claim(runId: string, workerId: string): Promise<RunSession | undefined>;
  /** Answers a request; the receipt says whether it was accepted, and who was first otherwise. A worker then continues the run. */
  answer(runId: string, requestId: string, answer: RequestAnswer): Promise<AnswerReceipt>;
  /** Asks a run to stop, wherever it is executed; it unwinds, and ends as `cancelled`. */
  cancel(runId: string, request: CancelRequest): Promise<'requested' | 'ended' | 'unknown'>;
  /** The requests that wait for an answer. */
  openRequests(runId: string): Promise<readonly OpenRequest[]>;
  /** The latest ending, unless a later segment was opened. */
  ending(runId: string): Promise<Envelope | undefined>;
  /** Waits for an ending of this segment or a later one. */
  waitForEnding(runId: string, segment: number, signal?: AbortSignalLike): Promise<Envelope>;
  /** Waits until a parked run can be claimed again. */
  waitUntilReady(runId: string): Promise<void>;
  /** The row of a run in the list, without its journal. */
  summary(runId: string): Promise<RunSummary | undefined>;
  /** The runs that pass a filter, newest first, page by page. */
  list(filter?: RunFilter): Promise<RunPage>;
  /** The entries of a run, oldest first; none for a run that is not known. */
  journal(runId: string, query?: JournalQuery): Promise<readonly JournalEntry[]>;
  /** Notices of endings that are due and that nobody has leased, oldest first. */
  dueNotices(limit?: number): Promise<readonly OutboxItem[]>;
  /** Takes notices that are due, oldest first, so that nobody else sends them meanwhile. They are due again when the lease is over. */
  leaseNotices(lease: NoticeLease): Promise<readonly OutboxItem[]>;
  /**
   * Delivered, or to be tried again at an instant. With the end of the lease, a notice that somebody else has leased since
   * then is left to them.
   */
  settleNotice(id: string, retryAt?: number, leasedUntil?: number): Promise<void>;
  /** Imports a journal from elsewhere, verbatim and hashes included. */
  importRun(entries: readonly JournalEntry[]): Promise<'imported' | 'exists'>;
  /** Starts a worker that claims and executes runs of these definitions: those that are ready, due, answered or orphaned. */
  worker(definitions: readonly RunnableDefinition[], options?: WorkerOptions): EngineWorker;
  /** Releases files and connections, after what is under way was written. */
  close(): Promise<void>;
}

/** The part of an AbortSignal that we use; kept structural because the library has no DOM types. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
