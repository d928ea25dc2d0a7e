import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { ConductorLogEvent } from './events/conductor-event.js';
import { writeEvents } from './events/write-events.js';
import { builtInStepTypes } from './steps/built-in-step-types.js';

/** A run in the event log of the reference: the same names in the same order, made from the journal alone. */
export function conductorEvents(journal: readonly JournalEntry[]): readonly ConductorLogEvent[] {
  return writeEvents(journal, builtInStepTypes);
}
