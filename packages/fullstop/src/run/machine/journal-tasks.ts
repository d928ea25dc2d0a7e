import type { EntryType, JournalEntry } from '../../engines/port/journal-entry.js';
import { ActiveTimeline } from '../accounts/active-timeline.js';
import { type DeadBranch, deadBranchesOf, skipDeadBranches, withDead } from '../replay/dead-branch.js';
import { openingsOf } from '../replay/openings.js';
import { lastOf, Replay, type Slot } from '../replay/replay.js';
import { withoutCutUnits } from '../replay/without-cut-units.js';
import { findBatchStop, limitOf } from './batch-stop.js';
import { type Candidate, chooseReady, isStoppable, loneEffect, newEffects, soleEffect } from './choose-ready.js';
import type { FoldPlace, OpenDecision, Ready } from './fold-machine.js';
import { findOutcome, type JournalledOutcome } from './journalled-outcome.js';
import type { MachineEffect, MachineObservation, SegmentOpening } from './machine.js';

/** The entries that a unit sees before anything has come of them. */
const beginnings: ReadonlySet<EntryType> = new Set(['request_opened', 'scope_opened', 'sleep_started']);

/** The entries that no outcome is read from: they may come to a place that the machine has passed. */
const remarks: ReadonlySet<EntryType> = new Set(['emitted', 'observed', 'step_noted', 'step_started']);

/** One effect that the machine has asked for, with its outcome in the journal. */
interface JournalTask extends Candidate {
  readonly effect: MachineEffect<unknown>;
  readonly outcome: JournalledOutcome | undefined;
  /** The stop of its batch. */
  readonly stop: JournalEntry<'batch_stopped'> | undefined;
  /** True when nothing runs at the same time: then it is observed when its unit reaches it. */
  readonly isAlone: boolean;
  isObserved: boolean;
  observation: MachineObservation | undefined;
}

/** The effects of a run's machine as its journal holds them: the counterpart of `Tasks` that performs nothing. */
export class JournalTasks implements FoldPlace {
  readonly startedAt: number;
  readonly openings: readonly SegmentOpening[];
  readonly timeline: ActiveTimeline;
  readonly #replay: Replay;
  readonly #tasks = new Map<string, JournalTask>();
  /** The entries after units that were resumed, which no longer count. */
  #dead: readonly DeadBranch[] = [];
  #nextOrdinal = 0;
  #now: number;
  /** True when the journal ended while effects of an earlier decision were under way, whose outcomes were looked up before. */
  #isAmidst = false;

  constructor(journal: readonly JournalEntry[]) {
    this.startedAt = journal[0]?.at ?? 0;
    this.openings = openingsOf(journal, '');
    this.timeline = new ActiveTimeline(journal);
    this.#replay = new Replay(withoutCutUnits(journal));
    this.#now = this.startedAt;
  }

  nextOrdinal(): number {
    return this.#nextOrdinal;
  }

  lastOrdinal(): number {
    return this.#replay.nextOrdinal('') - 1;
  }

  isAtFront(): boolean {
    return this.#nextOrdinal > this.lastOrdinal();
  }

  slotAt(ordinal: number): Slot | undefined {
    return this.#replay.slot('', ordinal);
  }

  observe(): void {
    this.#nextOrdinal += 1;
  }

  /** Adds the entries that follow; false when they belong to what was looked up before. */
  add(entries: readonly JournalEntry[]): boolean {
    if (this.#isAmidst) return false;
    for (const entry of entries) {
      if (entry.scope === '' && this.#isPassed(entry)) return false;
      this.timeline.add(entry);
      this.#replay.add(entry);
    }
    return true;
  }

  /** True for an entry at a place that the machine has passed, and for one right after it that says what was folded in together. */
  #isPassed({ type, ordinal }: JournalEntry): boolean {
    if (type === 'batch_evaluated') return ordinal <= this.#front();
    return ordinal >= 0 && ordinal < this.#nextOrdinal && !remarks.has(type);
  }

  /** The next ordinal, after what no longer counts. */
  #front(): number {
    return skipDeadBranches(this.#replay, { scope: '', ordinal: this.#nextOrdinal }, this.#dead);
  }

  /** The observations that `drive` folded in next, or undefined where the journal ends: then nothing of the decision has begun. */
  lookUp(decision: OpenDecision<unknown>): Ready | undefined {
    const before = { dead: this.#dead, nextOrdinal: this.#nextOrdinal, now: this.#now };
    this.#isAmidst = this.#tasks.size > 0;
    if (decision.type === 'perform') {
      if (decision.withdraw === true) this.#withdrawExcept(decision.effects);
      this.#start(decision);
    }
    const ready = this.#ready();
    if (ready.length === 0) {
      this.#tasks.clear();
      [this.#dead, this.#nextOrdinal, this.#now] = [before.dead, before.nextOrdinal, before.now];
      return undefined;
    }
    for (const { effect } of ready) this.#tasks.delete(effect.key);
    return {
      observations: ready.flatMap(({ observation }) => observation ?? []),
      lastSeq: ready.reduce((latest, { seq }) => Math.max(latest, seq), 0),
      limit: limitOf(ready.find(({ stop }) => limitOf(stop) !== undefined)?.stop),
    };
  }

  #withdrawExcept(effects: readonly MachineEffect<unknown>[]): void {
    const requests = [...this.#tasks.values()].filter(({ isRequest }) => isRequest).map(({ effect }) => effect.key);
    for (const key of requests) if (!effects.some((effect) => effect.key === key)) this.#tasks.delete(key);
  }

  #start(decision: Extract<OpenDecision<unknown>, { type: 'perform' }>): void {
    const effects = newEffects(decision, this.#tasks);
    const isAlone = this.#tasks.size === 0 && soleEffect(decision) !== undefined;
    const place = { scope: '', ordinal: this.#nextOrdinal };
    const isBatch = isStoppable(decision);
    if (isBatch) this.#nextOrdinal += 1;
    const found = isBatch ? findBatchStop(this.#replay, place, effects) : undefined;
    const isLone = this.#tasks.size === 0 && loneEffect(decision) !== undefined;
    const own = isLone ? lastOf(this.#replay.slot('', this.#nextOrdinal), 'batch_stopped') : undefined;
    const stop = found?.isUndone === true ? undefined : (found?.stop ?? own);
    for (const effect of effects) this.#begin(effect, stop, isAlone);
  }

  #begin(effect: MachineEffect<unknown>, stop: JournalTask['stop'], isAlone: boolean): void {
    const slot = this.#replay.slot('', this.#nextOrdinal);
    this.#nextOrdinal += 1;
    const [first] = slot?.entries ?? [];
    if (effect.type === 'unit') this.#dead = withDead(this.#dead, deadBranchesOf(slot));
    if (first !== undefined && beginnings.has(first.type)) this.#see(first.at);
    const outcome = findOutcome(slot, effect, stop);
    this.#tasks.set(effect.key, {
      effect,
      outcome,
      stop,
      isAlone,
      isRequest: effect.type === 'request',
      isObserved: false,
      observation: undefined,
      seq: outcome?.seq ?? 0,
    });
  }

  /** Receives one outcome after the other, in the order of the journal, until some of them are to be folded in. */
  #ready(): readonly JournalTask[] {
    const tasks = [...this.#tasks.values()];
    let undone = tasks.filter(({ isRequest, isObserved }) => !isRequest && !isObserved).length;
    const arriving = tasks
      .filter(({ outcome, isObserved }) => outcome !== undefined && !isObserved)
      .sort((left, right) => left.seq - right.seq);
    for (;;) {
      const ordinal = this.#front();
      const evaluated = lastOf(this.#replay.slot('', ordinal), 'batch_evaluated')?.data.applied;
      const ready = chooseReady(this.#tasks, { evaluated, undone, restWaits: false });
      if (ready.length > 0 && evaluated !== undefined) this.#nextOrdinal = ordinal + 1;
      const next = ready.length > 0 ? undefined : arriving.shift();
      if (next === undefined) return ready;
      this.#receive(next);
      if (!next.isRequest) undone -= 1;
    }
  }

  #receive(task: JournalTask): void {
    const { outcome, effect, stop, isAlone, isRequest } = task;
    if (outcome === undefined) return;
    // What stops a batch sees that stop too before it continues.
    const at = stop?.data.by === effect.key ? stop.at : outcome.at;
    this.#see(at);
    // An answer is dated when it was given, but counts from when the unit has it.
    task.observation = outcome.observe(isAlone || isRequest ? this.#now : at);
    task.isObserved = true;
    // What was done after an attempt that was repeated later is a dead branch.
    this.#nextOrdinal = Math.max(this.#nextOrdinal, outcome.next ?? 0);
  }

  #see(at: number): void {
    this.#now = Math.max(this.#now, at);
  }
}
