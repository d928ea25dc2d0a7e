import type { EntryData, JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { continueAfter } from '../replay/continue-after.js';
import { behindDead, type DeadBranch, withDead } from '../replay/dead-branch.js';
import { lastOf } from '../replay/replay.js';
import { UnitPast } from '../replay/unit-past.js';
import type { Execution } from '../segment/execution.js';
import type { Unit } from '../unit/unit.js';
import type { Effect } from './machine.js';

/** The key of the entries about a batch as a whole. */
export const batchKey = 'batch';

/** Where a batch that stops at its first failure stands in the journal, and what that says about it. */
export interface BatchPlace {
  readonly ordinal: number;
  /** The stop that stands. */
  readonly stop: JournalEntry<'batch_stopped'> | undefined;
  /** A stop that no longer holds, because a later segment takes up the member that had failed. */
  readonly undone: JournalEntry<'batch_stopped'> | undefined;
}

/** What a machine's batches write, and what they find again on replay. */
export class BatchJournal {
  readonly #execution: Execution;
  readonly #unit: Unit;
  /** What lies behind units that were taken up again, which may wait while the machine goes on. */
  #dead: readonly DeadBranch[] = [];

  constructor(execution: Execution, unit: Unit) {
    this.#execution = execution;
    this.#unit = unit;
  }

  /** Takes the ordinal of a batch, which stands in front of those of its members. */
  open(members: readonly Effect<unknown>[]): BatchPlace {
    const [execution, unit] = [this.#execution, this.#unit];
    const ordinal = unit.nextOrdinal++;
    const stop = lastOf(execution.journal.slot(unit.scope, ordinal, batchKey), 'batch_stopped');
    if (stop === undefined) return { ordinal, stop, undone: undefined };
    const index = members.findIndex(({ key }) => key === stop.data.by);
    const slot = execution.journal.replay.slot(unit.scope, ordinal + 1 + index);
    const past = new UnitPast(slot, unit.nextVisit(stop.data.by));
    const undone = isTakenUpBehind(stop, slot?.entries) || past.isResumedIn(execution, unit);
    return undone ? { ordinal, stop: undefined, undone: stop } : { ordinal, stop, undone: undefined };
  }

  /** Writes that a failure stops the others. */
  stop({ ordinal }: BatchPlace, data: EntryData['batch_stopped']): JournalEntry<'batch_stopped'> {
    const [execution, unit] = [this.#execution, this.#unit];
    const draft = { type: 'batch_stopped', scope: unit.scope, ordinal, key: batchKey, data } as const;
    const at = execution.journal.append<'batch_stopped'>(draft);
    unit.see(at);
    const { identity, segment } = execution.session;
    return { ...draft, at, runId: identity.runId, segment, seq: execution.journal.lastSeq };
  }

  /** Comes to a stop that stands in the journal. */
  see({ at }: JournalEntry<'batch_stopped'>): void {
    this.#unit.see(at);
  }

  /** Goes past a member that never begins, as if it had been asked for. */
  passOver(): void {
    const unit = this.#unit;
    const slept = lastOf(this.#execution.journal.replay.slot(unit.scope, unit.nextOrdinal++), 'sleep_started');
    if (slept !== undefined) unit.see(slept.at);
  }

  /** What the machine went on with at this point although some units waited, if the journal says so. */
  get evaluated(): readonly string[] | undefined {
    const slot = this.#execution.journal.replay.slot(this.#unit.scope, this.#placeToGoOn());
    return lastOf(slot, 'batch_evaluated')?.data.applied;
  }

  /** Remembers branches that are dead, as those of units that were taken up again. */
  leaveBehind(dead: readonly DeadBranch[]): void {
    this.#dead = withDead(this.#dead, dead);
  }

  #placeToGoOn(): number {
    const { scope, nextOrdinal: ordinal } = this.#unit;
    return this.#dead.length === 0
      ? ordinal
      : behindDead(this.#execution.journal.replay, { scope, ordinal }, this.#dead);
  }

  /** Writes what the machine goes on with, unless that is what it found in the journal. */
  evaluate(applied: readonly string[]): void {
    const [execution, unit] = [this.#execution, this.#unit];
    const place = this.#placeToGoOn();
    if (place > unit.nextOrdinal) continueAfter(execution.journal.replay, unit, place);
    const ordinal = unit.nextOrdinal++;
    if (execution.journal.slot(unit.scope, ordinal, batchKey) !== undefined || execution.state.closed) return;
    const draft = { type: 'batch_evaluated', scope: unit.scope, ordinal, key: batchKey, data: { applied } } as const;
    execution.journal.append<'batch_evaluated'>(draft);
  }

  /** Parks the run: the journal goes on with an effect that the machine has not asked for. */
  mismatch(key: string): undefined {
    const { scope, nextOrdinal } = this.#unit;
    this.#execution.journal.mismatch({ scope, ordinal: nextOrdinal, found: key, asked: undefined });
  }

  /** True when a unit's ending is the failure of a batch. */
  isFailure(termination: AnyTermination): boolean {
    try {
      return this.#execution.settings.registry.get(termination.kind).outcome(termination) === 'failed';
    } catch {
      // A third party's definition may throw; then nobody says that it did well.
      return true;
    }
  }
}

/** True when a later segment has opened a member again after it had stopped its batch. */
export function isTakenUpBehind(
  stop: JournalEntry<'batch_stopped'>,
  entries: readonly JournalEntry[] | undefined,
): boolean {
  return entries?.some((entry) => entry.type === 'scope_opened' && entry.seq > stop.seq) === true;
}
