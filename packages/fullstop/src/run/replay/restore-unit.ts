import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { isWithin } from '../journal/scope-path.js';
import type { Unit } from '../unit/unit.js';
import { stepToRedo } from './redo.js';

/** Restores what the journal holds for a unit; its account must not depend on what is replayed. */
export function restoreUnit(
  { history, segment }: { readonly history: readonly JournalEntry[]; readonly segment: number },
  unit: Unit,
): void {
  unit.redo = stepToRedo(unit, history, segment);
  for (const entry of history) {
    if (!isWithin(entry.scope, unit.scope)) continue;
    if (entry.type === 'step_ended') unit.ledger.restore(entry.data.charge);
  }
}
