import type { EntryData, JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { continueAfter } from '../replay/continue-after.js';
import { type DeadBranch, skipDeadBranches, withDead } from '../replay/dead-branch.js';
import { lastOf, lastStepOf } from '../replay/replay.js';
import { UnitPast } from '../replay/unit-past.js';
import type { Execution } from '../segment/execution.js';
import type { Unit } from '../unit/unit.js';
import { batchKey, findBatchStop, limitOf } from './batch-stop.js';
import type { MachineEffect, StopAt } from './machine.js';

/** The place of a batch that stops at its first failure, and its stop if the journal has one. */
export interface BatchPlace {
  readonly ordinal: number;
  /** The key of its entries: that of its only member, where it is the place of that. */
  readonly key: string;
  /** The stop that still holds. */
  readonly stop: JournalEntry<'batch_stopped'> | undefined;
  /** A stop that no longer holds, because a later segment resumes the member that had failed. */
  readonly undone: JournalEntry<'batch_stopped'> | undefined;
}

/** Writes the entries of a machine's batches, and finds them again on replay. */
export class BatchJournal {
  readonly #execution: Execution;
  readonly #unit: Unit;
  /** The dead branches of units that were resumed, which may wait while the machine continues. */
  #dead: readonly DeadBranch[] = [];

  constructor(execution: Execution, unit: Unit) {
    this.#execution = execution;
    this.#unit = unit;
  }

  /** Takes the ordinal of a batch, which comes before those of its members. */
  open(members: readonly MachineEffect<unknown>[]): BatchPlace {
    const [execution, unit] = [this.#execution, this.#unit];
    const ordinal = unit.nextOrdinal++;
    execution.journal.slot(unit.scope, ordinal, batchKey);
    const { replay } = execution.journal;
    const found = findBatchStop(replay, { scope: unit.scope, ordinal }, members);
    const place = { ordinal, key: batchKey };
    if (found === undefined) return { ...place, stop: undefined, undone: undefined };
    const { stop } = found;
    if (limitOf(stop) !== undefined) return { ...place, stop, undone: undefined };
    const past = new UnitPast(replay.slot(unit.scope, found.ordinal), unit.nextVisit(stop.data.by));
    const isUndone = found.isUndone || past.isResumedIn(execution, unit);
    return isUndone ? { ...place, stop: undefined, undone: stop } : { ...place, stop, undone: undefined };
  }

  /** The place of a batch of one, which is that of its member. */
  openLone({ key }: MachineEffect<unknown>): BatchPlace {
    const { scope, nextOrdinal: ordinal } = this.#unit;
    const stop = lastOf(this.#execution.journal.replay.slot(scope, ordinal), 'batch_stopped');
    return { ordinal, key, stop, undone: undefined };
  }

  /** The stop that an outcome in the journal calls for and that was not written, if some of the others have not come to an end. */
  findLostStop(
    { ordinal }: BatchPlace,
    members: readonly MachineEffect<unknown>[],
    stopAt: StopAt,
  ): EntryData['batch_stopped'] | undefined {
    const { replay } = this.#execution.journal;
    const slots = members.map(({ key }, index) => ({ key, slot: replay.slot(this.#unit.scope, ordinal + 1 + index) }));
    for (const { key, slot } of slots) {
      const outcome = lastStepOf(slot)?.data ?? lastOf(slot, 'recorded')?.data;
      const cause = outcome?.ok === true ? stopAt(outcome.value) : undefined;
      if (cause === undefined) continue;
      const notStarted = slots.filter((other) => other.slot === undefined).map((other) => other.key);
      return notStarted.length === 0 ? undefined : { by: key, cause, notStarted };
    }
    return undefined;
  }

  /** Writes that a failure stops the others. */
  stop({ ordinal, key }: BatchPlace, data: EntryData['batch_stopped']): JournalEntry<'batch_stopped'> {
    const [execution, unit] = [this.#execution, this.#unit];
    const draft = { type: 'batch_stopped', scope: unit.scope, ordinal, key, data } as const;
    const at = execution.journal.append<'batch_stopped'>(draft);
    unit.see(at);
    const { identity, segment } = execution.session;
    return { ...draft, at, runId: identity.runId, segment, seq: execution.journal.lastSeq };
  }

  /** Reaches a stop that is in the journal. */
  see({ at }: JournalEntry<'batch_stopped'>): void {
    this.#unit.see(at);
  }

  /** Passes over a member that never begins, as if it had been asked for. */
  passOver(): void {
    const unit = this.#unit;
    const slept = lastOf(this.#execution.journal.replay.slot(unit.scope, unit.nextOrdinal++), 'sleep_started');
    if (slept !== undefined) unit.see(slept.at);
  }

  /** The keys that the machine continued with at this point although some units waited, if the journal names any. */
  get evaluated(): readonly string[] | undefined {
    const slot = this.#execution.journal.replay.slot(this.#unit.scope, this.#placeToContinue());
    return lastOf(slot, 'batch_evaluated')?.data.applied;
  }

  /** Remembers the dead branches of a unit that was resumed. */
  addDead(dead: readonly DeadBranch[]): void {
    this.#dead = withDead(this.#dead, dead);
  }

  #placeToContinue(): number {
    const { scope, nextOrdinal: ordinal } = this.#unit;
    return this.#dead.length === 0
      ? ordinal
      : skipDeadBranches(this.#execution.journal.replay, { scope, ordinal }, this.#dead);
  }

  /** Writes what the machine continues with, unless the journal has it. */
  evaluate(applied: readonly string[]): void {
    const [execution, unit] = [this.#execution, this.#unit];
    const place = this.#placeToContinue();
    if (place > unit.nextOrdinal) continueAfter(execution.journal.replay, unit, place);
    const ordinal = unit.nextOrdinal++;
    if (execution.journal.slot(unit.scope, ordinal, batchKey) !== undefined || execution.state.closed) return;
    const draft = { type: 'batch_evaluated', scope: unit.scope, ordinal, key: batchKey, data: { applied } } as const;
    execution.journal.append<'batch_evaluated'>(draft);
  }

  /** Parks the run: the journal continues with an effect that the machine has not asked for. */
  mismatch(key: string): undefined {
    const { scope, nextOrdinal } = this.#unit;
    this.#execution.journal.mismatch({ scope, ordinal: nextOrdinal, found: key, asked: undefined });
  }

  /** True when a unit's ending is the failure of a batch. */
  isFailure(termination: AnyTermination): boolean {
    try {
      return this.#execution.settings.registry.get(termination.kind).outcome(termination) === 'failed';
    } catch {
      // A third party's definition may throw; then nothing says that it succeeded.
      return true;
    }
  }
}
