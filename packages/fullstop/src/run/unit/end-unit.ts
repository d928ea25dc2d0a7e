import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { Execution } from '../segment/execution.js';
import type { Unit } from './unit.js';

/**
 * Ends a unit from outside; what runs inside it is cancelled by it, with its ending as the cause, unless the cause is another one. A goal
 * that something inside has reached is in its `also`.
 */
export function endUnit(
  unit: Unit,
  termination: AnyTermination,
  also: readonly AnyTermination[] = [],
  cause: AnyTermination = termination,
): void {
  for (const inner of unit.withDescendants()) {
    if (inner === unit) continue;
    const reached = inner.ended ? [] : (inner.limitListener?.reached(cause) ?? []);
    inner.end({ termination: terminations.cancelled({ by: 'parent', cause }), also: reached });
  }
  unit.end({ termination, also });
}

/** How long a unit that has reached a goal may take to end by itself after a limit: its verdicts are asked, and its hooks hear of the ending. */
const graceMs = 10_000;

/** Ends a unit because a limit of its own is reached, unless it has come to an ending that the limit must not take from it. */
export function endAtLimit(unit: Unit, limit: AnyTermination): void {
  if (unit.ended || unit.heldAt !== undefined) return;
  const answer = unit.limitListener?.onLimit(limit);
  if (answer === 'held') return;
  endUnit(unit, answer?.termination ?? limit, answer?.also, limit);
}

/** Lets a unit end by itself although a limit of its own is reached, but not for long. */
export function holdAtLimit(
  execution: Execution,
  unit: Unit,
  { limit, also }: { readonly limit: AnyTermination; readonly also: readonly AnyTermination[] },
): void {
  unit.heldAt = limit;
  const { clock } = execution.engine;
  const stop = clock.callAt(clock.now() + graceMs, () => endUnit(unit, limit, also));
  execution.onClose(stop);
  unit.whenAborted(stop);
}

/** The mark of a batch that no member stopped, but a limit. */
export const stoppedByLimit = '';

/** True when the journal of this segment says that a limit has stopped what was under way in a unit, and that the unit was to end by itself. */
export function wasStoppedAtLimit({ journal, session }: Execution, { scope }: Unit): boolean {
  return journal.history.some(
    (entry) =>
      entry.type === 'batch_stopped' &&
      entry.scope === scope &&
      entry.segment === session.segment &&
      entry.data.by === stoppedByLimit,
  );
}
