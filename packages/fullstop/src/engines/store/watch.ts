import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AbortSignalLike } from '../port/engine.js';
import { type Commits, closedError } from './commits.js';
import type { Lease } from './lease.js';
import type { Claim, Claimant, InputOf, Owner, RunStatus } from './operations.js';
import type { StoreSession } from './store-session.js';

type Look = (status: RunStatus | undefined) => void;

interface Waiter {
  readonly look: Look;
  fail(error: unknown): void;
}

export interface WatchOptions {
  readonly commits: Commits;
  readonly owner: Owner;
  readonly lease: Lease;
  readonly leaseMs: number;
  readonly pollMs: number;
  monotonic(): number;
  /** True: runs are abandoned, and what they do is aborted, when their lease could not be renewed in time. */
  readonly abandonsLate?: boolean;
}

/** How often to look whether owners of runs have died. */
const sweepMs = 500;
/** How long announcements gather before they are followed. */
const lookMs = 5;

/** Notices what happens to runs, in this process at once and in others by looking at the file now and then. */
export class Watch {
  readonly sessions: Map<string, StoreSession> = new Map();
  /** Called whenever a run may have become ready. */
  readonly workers: Set<() => void> = new Set();
  readonly #options: WatchOptions;
  readonly #waiters = new Map<string, Set<Waiter>>();
  /** Runs that could not be released because the store failed. */
  readonly #owed = new Map<string, Claim>();
  readonly #dirty = new Set<string>();
  #dataVersion: string | undefined;
  #lastMessage = 0;
  #lastSweep = Number.NEGATIVE_INFINITY;
  /** A sign of life that is being written. */
  #renewing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Follows a session until it releases its run. */
  follow(session: StoreSession): void {
    const { runId } = session.identity;
    // Lost and claimed again by this process: nobody else will tell the execution that had the run before.
    this.sessions.get(runId)?.lose();
    this.sessions.set(runId, session);
    this.#heartbeat ??= setInterval(() => void this.#beat(), this.#options.leaseMs / 4).unref();
    this.ensurePolling();
  }

  unfollow(session: StoreSession, retry: boolean): void {
    const { runId } = session.identity;
    if (this.sessions.get(runId) === session) this.sessions.delete(runId);
    if (retry) this.#owed.set(runId, session.claim);
  }

  /** Something about a run changed in this process. */
  changed(runId: string): void {
    if (this.#waiters.has(runId)) this.#refresh([runId]);
    this.poke();
  }

  poke(): void {
    for (const worker of [...this.workers]) worker();
  }

  /** Waits until something can be read from the state of a run. */
  until<T>(
    runId: string,
    read: (status: RunStatus | undefined) => T | undefined,
    signal?: AbortSignalLike,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#forget(runId, waiter);
        signal?.removeEventListener('abort', abort);
      };
      const fail = (error: unknown): void => {
        stop();
        reject(error);
      };
      const abort = (): void => fail(signal?.reason);
      const look: Look = (status) => {
        try {
          const value = read(status);
          if (value === undefined) return;
          stop();
          resolve(value);
        } catch (error) {
          fail(error);
        }
      };
      const waiter: Waiter = { look, fail };
      if (this.#closed) reject(closedError());
      else if (signal?.aborted === true) reject(signal.reason);
      else {
        signal?.addEventListener('abort', abort, { once: true });
        this.#remember(runId, waiter);
      }
    });
  }

  #remember(runId: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(runId) ?? new Set();
    waiters.add(waiter);
    this.#waiters.set(runId, waiters);
    this.#refresh([runId]);
    this.ensurePolling();
  }

  #forget(runId: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(runId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters.delete(runId);
  }

  /** Reads the state of runs that someone waits for; everything of one turn with one question. */
  #refresh(runIds: Iterable<string>): void {
    const asked = this.#dirty.size > 0;
    for (const runId of runIds) this.#dirty.add(runId);
    if (asked || this.#dirty.size === 0) return;
    let wanted: readonly string[] = [];
    const make = (): { readonly runIds: readonly string[] } => {
      wanted = [...this.#dirty];
      this.#dirty.clear();
      return { runIds: wanted };
    };
    this.#options.commits.submit('status', make).then(
      (found) => this.#notify(wanted, found),
      (error: unknown) => this.#fail(wanted, error),
    );
  }

  #notify(wanted: readonly string[], found: readonly RunStatus[]): void {
    const byId = new Map(found.map((status) => [status.runId, status]));
    for (const runId of wanted)
      for (const waiter of [...(this.#waiters.get(runId) ?? [])]) waiter.look(byId.get(runId));
  }

  #fail(wanted: readonly string[], error: unknown): void {
    this.#dirty.clear();
    for (const runId of wanted) for (const waiter of [...(this.#waiters.get(runId) ?? [])]) waiter.fail(error);
  }

  get #needed(): boolean {
    return !this.#closed && (this.sessions.size > 0 || this.#waiters.size > 0 || this.workers.size > 0);
  }

  /** Looks at the file as long as anyone here depends on what others do. */
  ensurePolling(): void {
    this.#ensureSweeping();
    if (this.#timer !== undefined || !this.#needed) return;
    this.#timer = setTimeout(() => void this.#poll(), this.#options.pollMs);
  }

  /** A dead owner is looked for more often than anything else: nobody announces it, and its runs stand still. */
  #ensureSweeping(): void {
    if (this.#sweeper !== undefined || this.#closed || this.workers.size === 0) return;
    this.#sweeper = setInterval(() => {
      if (this.workers.size > 0) this.#sweep().catch(() => undefined);
      else {
        clearInterval(this.#sweeper);
        this.#sweeper = undefined;
      }
    }, sweepMs);
  }

  /** Looks at once, because somebody announced a change. */
  look(): void {
    if (this.#timer === undefined || !this.#needed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#poll(), lookMs);
  }

  async #poll(): Promise<void> {
    const { commits } = this.#options;
    try {
      const version = await commits.ask('dataVersion', undefined);
      if (version !== this.#dataVersion) {
        await this.#readMessages();
        // Not before they were read: what fails here is tried again.
        this.#dataVersion = version;
        this.#refresh(this.#waiters.keys());
        this.poke();
      }
      if (this.workers.size > 0) await this.#sweep();
    } catch (error) {
      // A store that fails for a moment is asked again at the next turn; whoever writes gets the error.
      if (FullstopError.is(error) && error.code === 'STORE_GONE') this.#fail([...this.#waiters.keys()], error);
    } finally {
      this.#timer = undefined;
      this.ensurePolling();
    }
  }

  async #readMessages(): Promise<void> {
    const { commits, owner } = this.#options;
    const unread = { after: this.#lastMessage, ownerId: owner.id };
    const { messages, last } = await commits.ask('messages', unread);
    this.#lastMessage = last;
    for (const message of messages) this.sessions.get(message.runId)?.receive(message);
  }

  /** Frees the runs of owners that have died, and lets the workers know. */
  async #sweep(): Promise<void> {
    const { commits, owner } = this.#options;
    const monotonic = this.#options.monotonic();
    if (monotonic - this.#lastSweep < sweepMs * 0.9) return;
    this.#lastSweep = monotonic;
    const who = { ownerId: owner.id, monotonic };
    if (!(await commits.ask('deadOwners', who))) return;
    if ((await commits.ask('sweep', who)) > 0) this.poke();
  }

  async #beat(): Promise<void> {
    const { commits, lease, abandonsLate } = this.#options;
    if (abandonsLate === true && lease.isOver) for (const session of [...this.sessions.values()]) session.abandon();
    if (this.sessions.size === 0 && this.#owed.size === 0) {
      clearInterval(this.#heartbeat);
      this.#heartbeat = undefined;
      return;
    }
    try {
      const owed = [...this.#owed.values()];
      await this.renew();
      if (owed.length === 0) return;
      await commits.ask('release', { claims: owed, crashed: false });
      for (const { runId } of owed) this.#owed.delete(runId);
      this.poke();
    } catch {
      // Tried again at the next beat; until then the lease shows others that we are alive.
    }
  }

  /** Finds out which runs this process still has. A renewal that was under way when the lease was revoked says nothing of that. */
  async regain(): Promise<void> {
    await this.renew();
    if (!this.#options.lease.isValid) await this.renew();
  }

  /** Shows that this process lives, and finds out which of its runs it has lost. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const { commits, lease } = this.#options;
    let claimant: Claimant | undefined;
    const make = (): InputOf<'heartbeat'> => {
      claimant = lease.claimant('');
      return { claimant, claims: [...this.sessions.values()].map((session) => session.claim) };
    };
    const lost = await commits.submit('heartbeat', make);
    for (const { runId, epoch } of lost) {
      const session = this.sessions.get(runId);
      if (session?.claim.epoch === epoch) session.lose();
    }
    if (claimant !== undefined) lease.renewed(claimant);
  }

  /** Stops looking; whoever waits gets the error that the engine is closed. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#sweeper);
    clearInterval(this.#heartbeat);
    for (const waiters of [...this.#waiters.values()]) for (const waiter of [...waiters]) waiter.fail(closedError());
    for (const session of [...this.sessions.values()]) session.lose();
  }
}
