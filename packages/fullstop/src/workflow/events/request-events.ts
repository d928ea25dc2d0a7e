import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { EventWriter } from './event-writer.js';

/** A person is asked something; what is written says the type of the step that asks. */
export function writeRequest(writer: EventWriter, entry: JournalEntry<'request_opened'>): void {
  const unit = writer.units.get(entry.scope);
  if (unit === undefined) return;
  const { request } = entry.data;
  writer.requests.set(request.id, { unit, request });
  writer.eventsOf(unit.kind).asked?.(writer, entry, { unit, request });
}

/** Writes the reply of a person. */
export function writeAnswer(writer: EventWriter, entry: JournalEntry<'request_answered'>): void {
  const { requestId, value, decision } = entry.data.answer;
  const asked = writer.requests.get(requestId);
  if (asked === undefined) return;
  const said = decision === 'deny' ? undefined : value;
  writer.eventsOf(asked.unit.kind).answered?.(writer, entry, { ...asked, said });
}
