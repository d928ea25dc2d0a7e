import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { sameJson } from '../../engines/port/same-json.js';
import { isOpen } from '../../termination/classify.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { attemptScope } from '../journal/scope-path.js';
import type { Execution } from '../segment/execution.js';
import type { Unit } from '../unit/unit.js';
import type { Slot } from './replay.js';

/** What the journal holds about a unit: its attempts, and how they ended. */
export class UnitPast {
  /** Where the first attempt began. */
  readonly opened: JournalEntry<'scope_opened'> | undefined;
  /** The ending of the last attempt, if that has one. */
  readonly ended: JournalEntry<'unit_ended'> | undefined;
  /** The ending that the last attempt takes up, or that the next one would. */
  readonly endingBefore: AnyTermination | undefined;
  readonly attempts: number;
  /** Where the unit around goes on behind the last attempt, if earlier ones left a dead branch there. */
  readonly next: number | undefined;
  /** The scope of the last attempt while it goes on, else that of the next one. */
  readonly scopeOfNext: string;
  /** The scope of the last attempt. */
  readonly #scope: string;

  constructor(slot: Slot | undefined, visit: string) {
    let [scope, scopeOfNext, attempts] = [visit, visit, 0];
    let ended: JournalEntry<'unit_ended'> | undefined;
    let opened: JournalEntry<'scope_opened'> | undefined;
    let before: AnyTermination | undefined;
    let next: number | undefined;
    for (const entry of slot?.entries ?? []) {
      if (entry.type === 'scope_opened') {
        opened ??= entry as JournalEntry<'scope_opened'>;
        attempts = entry.data.attempt;
        next = entry.data.next;
        ended = undefined;
        scope = scopeOfNext;
      } else if (entry.type === 'unit_ended') {
        ended = entry as JournalEntry<'unit_ended'>;
        before = entry.data.termination;
        // An attempt goes on in the scope of the one before, unless that ended for good: then it starts with an empty one.
        if (before.kind === 'terminated' && !isOpen(before)) scopeOfNext = attemptScope(visit, attempts + 1);
      }
    }
    this.opened = opened;
    this.ended = ended;
    this.endingBefore = before;
    this.attempts = attempts;
    this.next = next;
    this.#scope = scope;
    this.scopeOfNext = scopeOfNext;
  }

  /** A resume goes down to the units that ended badly in the segment before, or were stopped with it; all others stand. */
  isTakenUpBy(execution: Execution, parent: Unit): boolean {
    if (this.ended === undefined || this.ended.segment >= execution.session.segment) return false;
    return execution.reopened.has(this.#scope) || wasStoppedWith(parent.endingBefore, this.ended.data.termination);
  }
}

/** True for the ending of a unit that was stopped by the ending of the unit around it, or together with that. */
function wasStoppedWith(around: AnyTermination | undefined, inner: AnyTermination): boolean {
  if (around === undefined || inner.kind !== 'cancelled' || inner.by !== 'parent') return false;
  const wasStopped = around.kind === 'cancelled' && around.by === 'parent' && sameJson(asJson(around), asJson(inner));
  return wasStopped || sameJson(asJson(inner.cause), asJson(around));
}

function asJson(termination: AnyTermination | undefined): JsonValue | undefined {
  return termination as unknown as JsonValue | undefined;
}
