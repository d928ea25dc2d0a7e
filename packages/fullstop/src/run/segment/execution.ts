import { type Engine, FencedError, type InboxMessage, type Session } from '../../engines/port/engine.js';
import type { CancelRequest, EntryDraft, EntryType, JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { ActiveTime } from '../accounts/active-time.js';
import { takenUp } from '../accounts/active-timeline.js';
import { RunCancelled } from '../errors.js';
import type { SegmentOpening } from '../machine/machine.js';
import { openingsOf } from '../replay/openings.js';
import { stepToRedo } from '../replay/redo.js';
import { endingOfSegment, reopenedScopes } from '../replay/reopened-scopes.js';
import { Replay, type Slot } from '../replay/replay.js';
import type { RunSettings } from '../settings.js';
import { cancelSpawned } from '../unit/spawn.js';
import { Unit } from '../unit/unit.js';
import { Waits } from '../unit/waits.js';
import { Announcements } from './announcements.js';
import { Delivery, type Turn } from './delivery.js';
import { engineFailure, type Mismatch, replayMismatch, secretInKey } from './engine-failures.js';
import { nextTurn } from './next-turn.js';
import type { Settlement } from './settlement.js';

/** Awaits that a branch may need to come to its first operation, beside those that a step takes anyway. */
const hopsToOperation = 3;

const segmentEnded = new Error('The segment has ended.');

export interface ExecutionOptions {
  readonly session: Session;
  readonly engine: Engine;
  readonly settings: RunSettings;
  readonly history: readonly JournalEntry[];
  readonly active: ActiveTime;
}

/** One execution of one segment: the journal on one side, the units of the body on the other. */
export class Execution {
  readonly session: Session;
  readonly engine: Engine;
  readonly settings: RunSettings;
  readonly replay: Replay;
  readonly waits: Waits;
  readonly root: Unit;
  readonly active: ActiveTime;
  readonly delivery: Delivery;
  /** What is told to observers once it is durable. */
  readonly announcements: Announcements;
  /** Settles once, with the first reason to stop. */
  readonly settled: Promise<Settlement>;
  /** Units that came to an ending of their own while the run was being cancelled: what they did is undone all the same. */
  readonly unwound: Unit[] = [];
  /** The runs that this execution has spawned. */
  readonly spawned: Set<string> = new Set();
  /** Scopes that a resume takes up again although they have an ending. */
  readonly reopened: ReadonlySet<string>;
  cancelRequest: CancelRequest | undefined;
  closed = false;
  /** True while the run is being left to others: no new step begins here. */
  releasing = false;
  /** The place of the entry that was appended last; within a segment its owner is the only writer. */
  lastSeq: number;
  /** The time of the entry that was appended last, or of a later one. */
  lastAt = 0;
  readonly #history: readonly JournalEntry[];
  readonly #sleeps: Map<object, number> = new Map();
  readonly #cleanups: (() => void)[] = [];
  readonly #deadlines: Map<object, number> = new Map();
  readonly #lulls = new Set<() => boolean>();
  #settle: (settlement: Settlement) => void = () => undefined;
  /** Takes back the look whether all branches wait; undefined when none is to come. */
  #takeBackCheck: (() => void) | undefined;
  /** True once several operations were under way at a time; and once some were outside of a unit that was at work. */
  #hadCompany = false;
  #hadStrangers = false;

  constructor(options: ExecutionOptions) {
    this.session = options.session;
    this.engine = options.engine;
    this.settings = options.settings;
    this.announcements = new Announcements(options.settings.observers);
    this.#history = options.history;
    this.replay = new Replay(options.history);
    this.active = options.active;
    this.delivery = new Delivery(options.history, {
      // A clock that jumps when nobody uses it must see that the run is at work.
      onTurn: () => this.engine.clock.now(),
      onIdle: () => this.checkRest(),
    });
    this.waits = new Waits(this, options.history);
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const endingBefore = endingOfSegment(options.history, options.session.segment - 1);
    this.reopened = reopenedScopes(endingBefore);
    this.root = new Unit({
      scope: '',
      limits: options.settings.limitsOf(''),
      now: options.history[0]?.at ?? this.engine.clock.now(),
      endingBefore,
      finish: (result) => this.settle({ type: 'ended', result }),
    });
    this.restore(this.root);
    this.lastAt = options.history.at(-1)?.at ?? 0;
    this.lastSeq = options.history.at(-1)?.seq ?? 0;
  }

  /** Begins to listen: messages that are already there are taken before the body starts. */
  open(onCancel: (request: CancelRequest) => void): void {
    this.#cleanups.push(this.session.onFenced(() => this.settle({ type: 'fenced' })));
    this.#cleanups.push(
      this.session.listen((message: InboxMessage) => {
        if (this.closed) return;
        if (message.type === 'answer') this.waits.receive(message);
        else onCancel(message.request);
      }),
    );
  }

  /** Stops listening and lets go of everything that could still call back. */
  close(): void {
    this.closed = true;
    for (const cleanup of this.#cleanups) cleanup();
    // Until the next turn it would keep the whole journal, and many short runs may come to their end before that.
    this.#takeBackCheck?.();
    this.waits.close();
    this.root.abort(segmentEnded);
  }

  onClose(cleanup: () => void): void {
    this.#cleanups.push(cleanup);
  }

  settle(settlement: Settlement): void {
    if (this.closed) return;
    this.closed = true;
    this.#settle(settlement);
  }

  /** The cancellation that stands in the journal of this segment: its owner died while it was being carried out. */
  get journalledCancel(): CancelRequest | undefined {
    const { segment } = this.session;
    const entry = this.#history.findLast((each) => each.type === 'cancel_requested' && each.segment === segment);
    return entry?.type === 'cancel_requested' ? entry.data : undefined;
  }

  /** Tells the runs that this one has spawned that it is being cancelled. */
  cancelSpawned(): void {
    cancelSpawned(this, this.#history);
  }

  /** Appends an entry. Times never go backwards within a run, except for what is dated at an instant of its own. */
  append<TType extends EntryType>(draft: Omit<EntryDraft<TType>, 'at'> & { readonly at?: number }): number {
    const unsaid = this.active.takeUnsaid(this.lastAt);
    if (unsaid !== undefined)
      this.append<'observed'>({ type: 'observed', scope: '', ordinal: -1, key: takenUp, ...unsaid });
    const at = draft.at ?? this.now();
    this.lastAt = Math.max(at, this.lastAt);
    this.lastSeq += 1;
    const { type, scope, ordinal, key, data } = draft;
    // What is whole is kept as it is: a copy of each entry would be a good part of what writing it costs.
    const isWhole = draft.at !== undefined && this.settings.secrets === undefined;
    const entry = (isWhole ? draft : { type, scope, ordinal, key, at, data: this.seal(data) }) as EntryDraft;
    try {
      this.session.append(entry);
    } catch (error) {
      this.fail(error);
    }
    this.announcements.add(entry);
    return at;
  }

  /** Takes the values of secrets out of something that the journal and the body are to hold. */
  seal<T>(value: T): T {
    const { secrets } = this.settings;
    return secrets === undefined ? value : secrets.seal(value);
  }

  /** Makes what was appended durable, at once where the engine can. A failing store ends the run, and the body gets nothing back. */
  commit(): Promise<boolean> | boolean {
    try {
      const flushing = this.session.flush();
      if (flushing !== undefined) return this.#committed(flushing);
    } catch (error) {
      this.fail(error);
    }
    if (!this.closed) this.announcements.tell();
    return !this.closed;
  }

  #committed(flushing: Promise<void>): Promise<boolean> {
    const entries = this.announcements.take();
    return flushing.then(
      () => {
        this.announcements.tell(entries);
        return !this.closed;
      },
      (error: unknown) => {
        this.announcements.putBack(entries);
        this.fail(error);
        return false;
      },
    );
  }

  /**
   * The turn of a result in the order of the journal; undefined when the body waits for nothing else, so that it may have
   * it at once. A body that has ever done several things at a time is given turns throughout. A unit that `drive` runs
   * folds by place, whatever comes first, and needs them only where something went on outside of it.
   */
  turnOf(seq: number, ownOperations: 0 | 1, driven?: Unit): Turn | undefined {
    const { outstanding } = this.root;
    if (outstanding > ownOperations) this.#hadCompany = true;
    if (driven !== undefined && outstanding > driven.outstanding) this.#hadStrangers = true;
    const hadOthers = driven === undefined ? this.#hadCompany : this.#hadStrangers;
    return this.delivery.inStep && !hadOthers ? undefined : this.delivery.reserve(seq);
  }

  /** Settles when the body may have the result of an effect that came back at once. */
  async handOver(seq: number, turn: Turn | undefined): Promise<void> {
    if (turn !== undefined) return turn();
    // Another branch may be on its way to its first operation; a turn of the event loop would be certain, but is too dear here.
    for (let hop = 0; hop < hopsToOperation; hop += 1) await undefined;
    await this.turnOf(seq, 1)?.();
  }

  /** Under `alwaysReplay`, drops the body instead of handing it a result, as soon as nothing else is under way. */
  async replaysInstead(ownOperations: 0 | 1): Promise<boolean> {
    if (!this.settings.alwaysReplay || this.root.operations > ownOperations || this.cancelRequest !== undefined)
      return false;
    if (!(await this.commit())) return true;
    if (this.root.operations > ownOperations || this.cancelRequest !== undefined) return false;
    this.settle({ type: 'replay' });
    return true;
  }

  /** Ends the run because the engine failed, or lets go because another owner has it. */
  fail(error: unknown): void {
    if (error instanceof FencedError) this.settle({ type: 'fenced' });
    else this.settle({ type: 'ended', result: engineFailure(error) });
  }

  /** The entries of an operation. A different key under the same ordinal parks the run: the code has changed. */
  slot(unit: Unit, ordinal: number, key: string): Slot | undefined {
    const slot = this.replay.slot(unit.scope, ordinal);
    if (this.settings.secrets !== undefined && this.seal(key) !== key) this.#refuseKey(this.settings.secrets.mask(key));
    if (slot === undefined || slot.key === key) return slot;
    this.mismatch({ scope: unit.scope, ordinal, found: slot.key ?? '', asked: key });
    return slot;
  }

  /** Parks the run, because the body does not ask for what the journal holds. */
  mismatch(mismatch: Mismatch): void {
    this.settle({ type: 'ended', result: replayMismatch(mismatch) });
  }

  /** Keys and names stand in the journal as they are: replay finds entries by them, so they cannot be sealed. */
  #refuseKey(shown: string): void {
    this.settle({ type: 'ended', result: secretInKey(shown) });
  }

  /** Counts an operation of a unit that is under way; the run is at rest only when none is. */
  begin(unit: Unit): void {
    unit.work(1);
    this.active.goOn();
  }

  done(unit: Unit): void {
    unit.work(-1);
    this.checkRest();
  }

  /** A sleep is under way too, but the run may be let go meanwhile. */
  beginSleep(unit: Unit, until: number): () => void {
    const token = {};
    this.#sleeps.set(token, until);
    unit.nap(1);
    this.checkRest();
    return () => {
      if (this.#sleeps.delete(token)) unit.nap(-1);
    };
  }

  /** Asks the listener, whenever everything that is ready has run, whether it goes on with what is there. */
  onLull(listener: () => boolean): () => void {
    this.#lulls.add(listener);
    return () => this.#lulls.delete(listener);
  }

  /** Looks, after everything that is ready has run, whether all branches wait. */
  checkRest(): void {
    if (this.#takeBackCheck !== undefined || this.closed) return;
    this.#takeBackCheck = nextTurn(() => {
      this.#takeBackCheck = undefined;
      if (this.closed || !this.delivery.idle) return;
      let goesOn = false;
      for (const lull of this.#lulls) goesOn = lull() || goesOn;
      if (!goesOn && this.root.operations === 0 && this.cancelRequest === undefined) this.#rest();
    });
  }

  /** Leaves the run to others, as soon as nothing is under way or at once. Why stands in the journal. */
  release(reason: string, atOnce: boolean): void {
    if (this.closed || this.cancelRequest !== undefined) return;
    if (!this.releasing)
      this.append<'observed'>({ type: 'observed', scope: '', ordinal: -1, key: 'released', data: { reason } });
    this.releasing = true;
    if (atOnce) this.settle({ type: 'released' });
    else this.checkRest();
  }

  #rest(): void {
    if (this.releasing) this.settle({ type: 'released' });
    else if (this.#sleeps.size > 0) this.#parkIfLong();
    else if (this.waits.size === 0) return;
    else if (this.settings.onPause === 'end') this.settle({ type: 'paused' });
    else this.active.pause();
  }

  /** Lets go of the run until something falls due, if that takes long and the engine keeps it. */
  #parkIfLong(): void {
    const { nextAlarm } = this.active;
    const instants = [...this.#sleeps.values(), ...this.#deadlines.values(), ...this.waits.deadlines];
    const wakeAt = instants.reduce((first, each) => Math.min(first, each), nextAlarm ?? Number.POSITIVE_INFINITY);
    const long = wakeAt - this.engine.clock.now() > this.settings.parkAfterMs;
    if (this.engine.durable && long) this.settle({ type: 'parked', wakeAt });
  }

  /** Calls back at an instant; a run that is let go for a while is taken up again by then. */
  callAtDeadline(instant: number, callback: () => void): () => void {
    const token = {};
    this.#deadlines.set(token, instant);
    const stop = this.engine.clock.callAt(instant, () => {
      this.#deadlines.delete(token);
      callback();
    });
    return () => {
      this.#deadlines.delete(token);
      stop();
    };
  }

  openingsOf(scope: string): readonly SegmentOpening[] {
    return openingsOf(this.#history, scope);
  }

  /** Now, but never before an entry that was written. */
  now(): number {
    return Math.max(this.engine.clock.now(), this.lastAt);
  }

  /** The entries that were there before this execution, up to and including one of them. */
  historyUpTo(entry: JournalEntry): readonly JournalEntry[] {
    return this.#history.slice(0, this.#history.indexOf(entry) + 1);
  }

  /** Gives a unit what the journal holds for it; its account must not depend on what is replayed. */
  restore(unit: Unit): void {
    const prefix = `${unit.scope}/`;
    unit.redo = stepToRedo(unit, this.#history, this.session.segment);
    for (const entry of this.#history) {
      if (unit.scope !== '' && entry.scope !== unit.scope && !entry.scope.startsWith(prefix)) continue;
      if (entry.type === 'step_ended') unit.ledger.restore(entry.data.charge);
    }
  }

  /** Ends a unit from outside; what runs inside it is cancelled by it, with its ending as the cause. */
  endUnit(unit: Unit, termination: AnyTermination): void {
    for (const inner of unit.withDescendants()) {
      if (inner === unit) continue;
      inner.end({ termination: terminations.cancelled({ by: 'parent', cause: termination }), also: [] });
    }
    unit.end({ termination, also: [] });
  }

  /** What a live operation of a cancelled run gets instead of a result. */
  refusal(unit: Unit): RunCancelled | undefined {
    return this.cancelRequest === undefined || unit.undoing ? undefined : new RunCancelled(this.cancelRequest);
  }
}
