import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { Unit } from '../unit/unit.js';
import { stepToRedo } from './redo.js';

/** Restores what the journal holds for a unit; its account must not depend on what is replayed. */
export function restoreUnit(
  { history, segment }: { readonly history: readonly JournalEntry[]; readonly segment: number },
  unit: Unit,
): void {
  const prefix = `${unit.scope}/`;
  unit.redo = stepToRedo(unit, history, segment);
  for (const entry of history) {
    if (unit.scope !== '' && entry.scope !== unit.scope && !entry.scope.startsWith(prefix)) continue;
    if (entry.type === 'step_ended') unit.ledger.restore(entry.data.charge);
  }
}
