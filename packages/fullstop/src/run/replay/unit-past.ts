import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { sameJson } from '../../engines/port/same-json.js';
import { isOpen } from '../../termination/classify.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { attemptScope } from '../journal/scope-path.js';
import type { Unit } from '../unit/unit.js';
import type { Slot } from './replay.js';

/** A resume, as far as units are concerned. */
interface Resuming {
  readonly session: { readonly segment: number };
  /** The scopes that it reopens although they have an ending. */
  readonly reopened: ReadonlySet<string>;
}

/** The attempts of a unit that the journal holds, and how they ended. */
export class UnitPast {
  /** Where the first attempt began. */
  readonly opened: JournalEntry<'scope_opened'> | undefined;
  /** The ending of the last attempt, if that has one. */
  readonly ended: JournalEntry<'unit_ended'> | undefined;
  /** The ending that the last attempt resumes from, or that the next one would. */
  readonly endingBefore: AnyTermination | undefined;
  readonly attempts: number;
  /** Where its parent continues after the last attempt, if there is a dead branch after earlier ones. */
  readonly next: number | undefined;
  /** The scope of the last attempt while it has no ending, else that of the next one. */
  readonly scopeOfNext: string;
  /** The scope of the last attempt. */
  readonly scope: string;

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
        // An attempt continues in the scope of the one before, unless that ended for good: then it starts with an empty one.
        if (before.kind === 'terminated' && !isOpen(before)) scopeOfNext = attemptScope(visit, attempts + 1);
      }
    }
    this.opened = opened;
    this.ended = ended;
    this.endingBefore = before;
    this.attempts = attempts;
    this.next = next;
    this.scope = scope;
    this.scopeOfNext = scopeOfNext;
  }

  /** A resume descends to the units that failed in the segment before, or were stopped with it; all others keep their ending. */
  isResumedIn({ session, reopened }: Resuming, parent: Unit): boolean {
    if (this.ended === undefined || this.ended.segment >= session.segment) return false;
    if (this.ended.data.stopped === true) return false;
    return reopened.has(this.scope) || wasStoppedWith(parent.endingBefore, this.ended.data.termination);
  }
}

/** True for the ending of a unit that was stopped by the ending of its parent, or together with that. */
function wasStoppedWith(outer: AnyTermination | undefined, inner: AnyTermination): boolean {
  if (outer === undefined || inner.kind !== 'cancelled' || inner.by !== 'parent') return false;
  const wasStopped = outer.kind === 'cancelled' && outer.by === 'parent' && sameJson(asJson(outer), asJson(inner));
  return wasStopped || sameJson(asJson(inner.cause), asJson(outer));
}

function asJson(termination: AnyTermination | undefined): JsonValue | undefined {
  return termination as unknown as JsonValue | undefined;
}
