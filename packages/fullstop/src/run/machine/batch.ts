import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { stoppedByLimit } from '../unit/end-unit.js';
import { isBatchStopped, type Stopping } from '../unit/stopping.js';
import type { BatchJournal, BatchPlace } from './batch-journal.js';
import { limitOf } from './batch-stop.js';
import type { MachineEffect, StopAt } from './machine.js';

/** A member of a batch, as far as it can be stopped. */
export interface Member {
  readonly key: string;
  readonly stopping: Stopping | undefined;
  /** True when it has ended, or cannot be stopped. */
  readonly stays: boolean;
  readonly begun: boolean;
  /** Stops it; one that has not begun is dropped. */
  stop(stop: JournalEntry<'batch_stopped'>): void;
}

/** When a batch stops. */
export interface BatchRules {
  readonly failFast?: boolean;
  readonly stopAt?: StopAt;
  /** True for the only effect of a decision: nothing but a limit stops it. */
  readonly isLone?: boolean;
}

/** Effects of which one that fails, or returns a value that says so, stops the others. On replay the journal says which that was. */
export class Batch {
  readonly #journal: BatchJournal;
  readonly #place: BatchPlace;
  readonly #members: Member[] = [];
  /** Those of earlier decisions that still wait. */
  readonly #waiting: readonly Member[];
  #stop: JournalEntry<'batch_stopped'> | undefined;

  readonly failFast: boolean;
  readonly stopAt: StopAt;

  constructor(
    journal: BatchJournal,
    effects: readonly MachineEffect<unknown>[],
    rules: BatchRules & { readonly waiting: readonly Member[] },
  ) {
    this.#journal = journal;
    this.#waiting = rules.stopAt === undefined ? [] : rules.waiting;
    this.failFast = rules.failFast === true;
    const [first] = effects;
    if (rules.isLone === true && first !== undefined) {
      this.stopAt = () => undefined;
      this.#place = journal.openLone(first);
      this.#stop = this.#place.stop;
      return;
    }
    this.stopAt = rules.stopAt ?? (() => undefined);
    this.#place = journal.open(effects);
    this.#stop = this.#place.stop;
    // A process that died between the outcome and the stop must not begin afterwards what the outcome had stopped.
    const lost =
      this.#stop === undefined &&
      rules.stopAt !== undefined &&
      journal.findLostStop(this.#place, effects, rules.stopAt);
    if (lost) this.#stop = journal.stop(this.#place, lost);
  }

  /** The stop that holds. */
  get stopped(): JournalEntry<'batch_stopped'> | undefined {
    return this.#stop;
  }

  /** True for a member that never begins, because the batch had stopped before. */
  keepsFromStarting(key: string): boolean {
    return this.#stop?.data.notStarted.includes(key) === true;
  }

  add(member: Member): void {
    this.#members.push(member);
    if (this.#stop !== undefined) member.stopping?.stop();
  }

  /** Stops the others, unless that was done already. Returns the time of the stop to the member that caused it. */
  stopAfter({ key }: Member, cause: AnyTermination): number | undefined {
    if (this.#stop !== undefined) {
      if (this.#stop.data.by !== key) return undefined;
      this.#journal.see(this.#stop);
      this.#stopWaiting(this.#stop);
      return this.#stop.at;
    }
    return this.#stopMembers(key, cause).at;
  }

  /** The limit that it was stopped by. */
  get limit(): AnyTermination | undefined {
    return limitOf(this.#stop);
  }

  /** Stops all members because of a limit, unless one of them has stopped the others. */
  stopAtLimit(limit: AnyTermination): void {
    if (this.#stop === undefined) this.#stopMembers(stoppedByLimit, limit);
  }

  #stopMembers(by: string, cause: AnyTermination): JournalEntry<'batch_stopped'> {
    const others = this.#members.filter(({ key, stays }) => key !== by && !stays);
    const notStarted = others.filter(({ begun }) => !begun).map(({ key }) => key);
    const stop = this.#journal.stop(this.#place, { by, cause, notStarted });
    this.#stop = stop;
    for (const other of others) other.stop(stop);
    this.#stopWaiting(stop);
    return stop;
  }

  /** Stops what waits from earlier decisions, unless the journal holds how it ended. */
  #stopWaiting(stop: JournalEntry<'batch_stopped'>): void {
    for (const other of this.#waiting) if (other.begun && !other.stays) other.stop(stop);
  }

  /** True when a unit's ending is a failure that stops the others. */
  isFailure(termination: AnyTermination): boolean {
    return this.failFast && this.#journal.isFailure(termination);
  }

  /** True for an outcome that was written because of a stop that no longer holds. */
  isUndone({ type, seq, segment, data }: JournalEntry<'step_ended' | 'unit_ended'>): boolean {
    const { undone } = this.#place;
    if (undone === undefined || seq < undone.seq || segment !== undone.segment) return false;
    if (type === 'unit_ended') return data.termination.kind === 'cancelled';
    return !data.ok && isBatchStopped(data.error);
  }
}
