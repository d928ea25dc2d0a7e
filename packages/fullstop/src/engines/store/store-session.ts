import type { JsonObject, JsonValue } from '../../termination/json.js';
import {
  FencedError,
  type InboxMessage,
  type LostOwner,
  type OutboxItem,
  type RunIdentity,
  type RunSession,
} from '../port/engine.js';
import type { EntryDraft, JournalEntry } from '../port/journal-entry.js';
import type { RequestAnswer } from '../port/request.js';
import { type Consumption, isConsumed } from '../rules/consumption.js';
import { ChainAhead } from './chain-ahead.js';
import type { Commits } from './commits.js';
import { toEntries, toIdentity, toRow } from './entry-row.js';
import { Flush, type FlushOwner } from './flush.js';
import type { Claim, ClaimedRun, EntryRow, InputOf, StoredMessage } from './operations.js';

export interface SessionHost {
  readonly commits: Commits;
  /** True when the store changes texts before it writes them. */
  readonly encoded: boolean;
  now(): number;
  /** Undefined while this process certainly has its runs; otherwise settles when it has found out. */
  hold(): Promise<void> | undefined;
  /** The session no longer has its run; `retry` when the store could not record that. */
  letGo(session: StoreSession, retry: boolean): void;
  /** Something about a run changed in this process. */
  changed(runId: string): void;
}

/** One segment of a run that this process executes. */
export class StoreSession implements RunSession, FlushOwner {
  readonly identity: RunIdentity;
  readonly segment: number;
  readonly input: JsonValue | undefined;
  readonly options: JsonObject | undefined;
  readonly recoveries: number;
  readonly lostOwners: readonly LostOwner[];
  readonly history: readonly JournalEntry[];
  readonly claim: Claim;
  readonly #host: SessionHost;
  readonly #chain: ChainAhead;
  readonly #lastMessage: number;
  /** Messages whose entry is not written yet; a new listener gets them again. */
  readonly #messages = new Map<number, InboxMessage>();
  readonly #seen = new Set<number>();
  readonly #fencedListeners = new Set<() => void>();
  #listener: ((message: InboxMessage) => void) | undefined;
  #queued: EntryRow[] = [];
  /** A flush that will include what is queued. */
  #scheduled: Promise<void> | undefined;
  /** The last flush that has been sent. */
  #underWay: Promise<void> | undefined;
  #over = false;
  /** Called when the run only waits for others; set by workers that have places to give to others meanwhile. */
  onAside: (() => void) | undefined;

  constructor(host: SessionHost, claimed: ClaimedRun) {
    const { runId, run, segment, epoch } = claimed;
    this.#host = host;
    this.identity = toIdentity(claimed);
    this.claim = { run, runId, segment, epoch };
    this.#chain = new ChainAhead(this.claim, host.encoded ? undefined : claimed.entries.at(-1));
    this.segment = segment;
    this.recoveries = claimed.recoveries;
    this.lostOwners = readLostOwners(claimed.lostOwners);
    this.history = toEntries(runId, claimed.entries);
    const [first] = this.history;
    this.input = first?.type === 'run_started' ? first.data.input : undefined;
    this.options = first?.type === 'run_started' ? first.data.options : undefined;
    this.#lastMessage = claimed.lastMessage;
    for (const message of claimed.messages) this.receive(message);
  }

  append(draft: EntryDraft): void {
    const row = toRow(draft);
    // An array that begins empty makes room for many; most flushes have one row.
    if (this.#queued.length === 0) this.#queued = [row];
    else this.#queued.push(row);
    if (row.effect?.consumes !== undefined) this.#forget(row.effect.consumes);
  }

  #forget(consumption: Consumption): void {
    for (const [id, message] of this.#messages) if (isConsumed(message, consumption)) this.#messages.delete(id);
  }

  flush(): Promise<void> | undefined {
    if (this.#over) return this.#refused();
    if (this.#queued.length === 0) return this.#underWay;
    this.#scheduled ??= this.#schedule();
    return this.#scheduled;
  }

  #schedule(): Promise<void> {
    const flush = new Flush(this);
    this.#host.commits.add(flush);
    return flush.done;
  }

  get isIdle(): boolean {
    return this.#underWay === undefined;
  }

  sendOff({ done }: Flush): InputOf<'append'> {
    const rows = this.#queued;
    this.#queued = [];
    this.#underWay = done;
    this.#scheduled = undefined;
    return { claim: this.claim, rows, chained: this.#chain.add(rows) };
  }

  takeBack(rows: readonly EntryRow[]): void {
    this.#queued = [...rows, ...this.#queued];
    this.#chain.lose();
  }

  arrived({ done }: Flush): void {
    if (this.#underWay === done) this.#underWay = undefined;
  }

  async conclude(
    draft: EntryDraft<'segment_ended'>,
    outbox: readonly OutboxItem[],
  ): Promise<{ readonly headHash?: string }> {
    if (this.#over) throw this.fence();
    // Made here: what cannot be written must fail for its caller, not for the batch that it would be part of.
    const last = toRow(draft);
    const make = (): InputOf<'conclude'> => ({
      claim: this.claim,
      rows: [...this.#queued.splice(0), last],
      outbox,
      lastMessage: this.#lastMessage,
      now: this.#host.now(),
    });
    const concluded = await this.#leave(() => this.#host.commits.submit('conclude', make));
    if (concluded === 'fenced') throw this.fence();
    return concluded;
  }

  async park(wakeAt: number | undefined): Promise<void> {
    if (this.#over) throw this.fence();
    const make = (): { claim: Claim; rows: readonly EntryRow[]; wakeAt: number | null; lastMessage: number } => ({
      claim: this.claim,
      rows: this.#queued.splice(0),
      wakeAt: wakeAt ?? null,
      lastMessage: this.#lastMessage,
    });
    const parked = await this.#leave(() => this.#host.commits.submit('park', make));
    if (parked === 'fenced') throw this.fence();
  }

  /** The last write of a session. If the store refuses it, the run is released as soon as the store works again. */
  async #leave<T>(write: () => Promise<T>): Promise<T> {
    try {
      const result = await write();
      this.#end(false);
      return result;
    } catch (error) {
      this.#end(true);
      throw error;
    }
  }

  #end(retry: boolean): void {
    if (this.#over) return;
    this.#over = true;
    this.#listener = undefined;
    this.#host.letGo(this, retry);
    this.#host.changed(this.identity.runId);
  }

  listen(listener: (message: InboxMessage) => void): () => void {
    this.#listener = listener;
    for (const message of [...this.#messages.values()]) listener(message);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /** Receives a message from the inbox; one that was received before is ignored. */
  receive(stored: StoredMessage): void {
    if (this.#over || this.#seen.has(stored.id)) return;
    this.#seen.add(stored.id);
    const message = toMessage(stored);
    this.#messages.set(stored.id, message);
    this.#listener?.(message);
  }

  async expire(requestId: string): Promise<boolean> {
    if (this.#over) throw this.fence();
    const expired = await this.#host.commits.submit('expire', () => ({ claim: this.claim, requestId }));
    if (expired === 'fenced') throw this.fence();
    if (expired === 'expired') return true;
    this.receive(expired);
    return false;
  }

  hold(): Promise<void> | undefined {
    if (this.#over) return this.#refused();
    const holding = this.#host.hold();
    return holding && this.#held(holding);
  }

  async #held(holding: Promise<void>): Promise<void> {
    await holding;
    if (this.#over) throw new FencedError(this.identity.runId);
  }

  stepAside(): boolean {
    this.onAside?.();
    return this.onAside !== undefined;
  }

  onFenced(listener: () => void): () => void {
    this.#fencedListeners.add(listener);
    return () => this.#fencedListeners.delete(listener);
  }

  /** Called when the run belongs to someone else. */
  lose(): void {
    this.#end(false);
    for (const listener of [...this.#fencedListeners]) listener();
    this.#fencedListeners.clear();
  }

  /** Called when nobody knows any more whose run this is: whatever it does is aborted, and it is released as soon as the store can. */
  abandon(): void {
    if (this.#over) return;
    this.#end(true);
    for (const listener of [...this.#fencedListeners]) listener();
    this.#fencedListeners.clear();
  }

  fence(): FencedError {
    this.lose();
    return new FencedError(this.identity.runId);
  }

  #refused(): Promise<void> {
    return quiet(Promise.reject(new FencedError(this.identity.runId)));
  }
}

/** Only for words to people: one that cannot be read must not keep the run from being executed. */
function readLostOwners(text: string | null): readonly LostOwner[] {
  try {
    const lost: unknown = text === null ? [] : JSON.parse(text);
    return Array.isArray(lost) ? (lost as readonly LostOwner[]) : [];
  } catch {
    return [];
  }
}

/** A promise whose failure is no unhandled one when its caller asks again instead of waiting. */
function quiet(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}

function toMessage({ type, request, at, data }: StoredMessage): InboxMessage {
  if (type === 'cancel')
    return { type, request: JSON.parse(data) as Extract<InboxMessage, { type: 'cancel' }>['request'], at };
  return { type, requestId: request ?? '', answer: JSON.parse(data) as RequestAnswer, at };
}
