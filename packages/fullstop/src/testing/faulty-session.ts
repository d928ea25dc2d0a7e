import {
  FencedError,
  type InboxMessage,
  type OutboxItem,
  type RunIdentity,
  type RunSession,
  type WholeSession,
} from '../engines/port/engine.js';
import { host } from '../engines/port/host.js';
import type { EntryDraft, JournalEntry } from '../engines/port/journal-entry.js';
import type { JsonObject, JsonValue } from '../termination/json.js';
import type { Fault, FaultPlan, FaultPoint } from './fault-plan.js';

/** Thrown by calls that a plan lets fail. */
export class InjectedFault extends Error {
  constructor(point: FaultPoint) {
    super(`A fault was injected into ${point}.`);
    this.name = 'InjectedFault';
  }
}

export interface FaultySessionOptions {
  readonly inner: RunSession;
  readonly plan: FaultPlan;
  readonly history: readonly JournalEntry[];
  readonly recoveries: number;
  sleep(milliseconds: number): Promise<void>;
  /** The owner is gone: from now on the run may be claimed by another. */
  onLost(): void;
  /** The run was concluded or parked: the inner session is over. */
  onOver(): void;
}

/**
 * A session whose entries reach the store only with a flush, as they would on a disk, so that a crash loses what was not
 * committed. A session that crashed answers nothing any more: its promises never settle.
 */
export class FaultySession implements WholeSession {
  readonly identity: RunIdentity;
  readonly segment: number;
  readonly input: JsonValue | undefined;
  readonly options: JsonObject | undefined;
  readonly history: readonly JournalEntry[];
  readonly recoveries: number;
  readonly lostOwners: RunSession['lostOwners'];
  readonly #given: FaultySessionOptions;
  readonly #fencedListeners = new Set<() => void>();
  #waiting: EntryDraft[] = [];
  #committing: Promise<void> | undefined;
  #state: 'alive' | 'crashed' | 'fenced' = 'alive';
  #stopListening: () => void = () => undefined;

  constructor(given: FaultySessionOptions) {
    this.#given = given;
    const { identity, segment, input, options, lostOwners } = given.inner;
    this.identity = identity;
    this.segment = segment;
    this.input = input;
    this.options = options;
    this.history = given.history;
    this.recoveries = given.recoveries;
    this.lostOwners = lostOwners;
  }

  append(draft: EntryDraft): void {
    if (this.#state === 'crashed') return;
    this.#refuseWhenFenced();
    const fault = this.#given.plan.next('append', draft, this.identity.runId);
    if (fault?.effect === 'fail') throw errorOf(fault);
    if (fault?.effect === 'crash') {
      this.crash();
      return;
    }
    this.#waiting.push(draft);
    if (fault?.effect === 'fence') this.fence();
    if (fault?.effect === 'fail_after') throw errorOf(fault);
    if (fault?.effect === 'crash_after') this.crash();
  }

  flush(): Promise<void> | undefined {
    if (this.#state === 'crashed') return never();
    if (this.#waiting.length === 0) return this.#committing;
    const committing = this.#act('flush', undefined, () => this.#commit()).finally(() => {
      if (this.#committing === committing) this.#committing = undefined;
    });
    this.#committing = committing;
    return committing;
  }

  async #commit(): Promise<void> {
    for (const draft of this.#waiting.splice(0)) this.#given.inner.append(draft);
    await this.#given.inner.flush();
  }

  conclude(draft: EntryDraft<'segment_ended'>, outbox: readonly OutboxItem[]): Promise<{ readonly headHash?: string }> {
    return this.#act('conclude', draft, async () => {
      await this.#commit();
      const concluded = await this.#given.inner.conclude(draft, outbox);
      this.#given.onOver();
      return concluded;
    });
  }

  async park(wakeAt: number | undefined): Promise<void> {
    try {
      await this.#act('park', undefined, async () => {
        await this.#commit();
        await this.#given.inner.park(wakeAt);
        this.#given.onOver();
      });
    } catch (error) {
      // An owner that wanted to release the run has done so: one that is never lost could keep it for ever.
      this.crash();
      throw error;
    }
  }

  listen(listener: (message: InboxMessage) => void): () => void {
    if (this.#state !== 'alive') return () => undefined;
    this.#stopListening = this.#given.inner.listen((message) => {
      if (this.#state === 'alive') listener(message);
    });
    return this.#stopListening;
  }

  async expire(requestId: string): Promise<boolean> {
    const { inner } = this.#given;
    return inner.expire === undefined ? true : inner.expire(requestId);
  }

  stepAside(): boolean {
    return this.#given.inner.stepAside?.() === true;
  }

  hold(): Promise<void> | undefined {
    if (this.#state === 'crashed') return never();
    return this.#given.inner.hold?.();
  }

  onFenced(listener: () => void): () => void {
    this.#fencedListeners.add(listener);
    return () => this.#fencedListeners.delete(listener);
  }

  /** Drops the session as a dying process would. */
  crash(): void {
    this.#lose('crashed');
  }

  /** Takes the run away from this owner. */
  fence(): void {
    this.#lose('fenced');
    for (const listener of [...this.#fencedListeners]) listener();
  }

  #lose(state: 'crashed' | 'fenced'): void {
    if (this.#state !== 'alive') return;
    this.#state = state;
    this.#waiting = [];
    this.#stopListening();
    this.#given.onLost();
  }

  #refuseWhenFenced(): void {
    if (this.#state === 'fenced') throw new FencedError(this.identity.runId);
  }

  /** Carries out a call after those before it, with the fault that the plan has for it. */
  async #act<T>(point: FaultPoint, draft: EntryDraft | undefined, perform: () => Promise<T>): Promise<T> {
    const fault = this.#given.plan.next(point, draft, this.identity.runId);
    const before = this.#committing;
    await turn();
    await before?.catch(() => undefined);
    if (fault?.effect === 'delay') await this.#given.sleep(fault.delayMs ?? 10);
    if (fault?.effect === 'crash') this.crash();
    if (fault?.effect === 'fence') this.fence();
    if (this.#state === 'crashed') return never();
    this.#refuseWhenFenced();
    if (fault?.effect === 'fail') throw errorOf(fault);
    const result = await perform();
    if (fault?.effect === 'crash_after') this.crash();
    if (fault?.effect === 'fail_after') throw errorOf(fault);
    return this.#isCrashed() ? never() : result;
  }

  #isCrashed(): boolean {
    return this.#state === 'crashed';
  }
}

export function errorOf(fault: Fault): Error {
  return fault.error ?? new InjectedFault(fault.point);
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (host.setImmediate === undefined) host.setTimeout(resolve, 0);
    else host.setImmediate(resolve);
  });
}
