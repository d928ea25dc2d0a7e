import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { isObject, type JsonObject } from '../../termination/json.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { ConductorLogEvent } from './conductor-event.js';
import { objectOf } from './described-workflow.js';
import { type EventsRow, EventWriter } from './event-writer.js';
import { writeObserved } from './observed-events.js';
import { writeAnswer, writeRequest } from './request-events.js';
import { writeStepEnd, writeUnitRecord, writeUnitStart } from './step-events.js';
import { writeTerminal, writeWorkflowStart } from './terminal-events.js';
import { writeUnitEnd } from './unit-end-events.js';
import { newScope } from './workflow-scope.js';

/**
 * The run in the event log of the reference: the same names in the same order, made from the journal alone. Nothing is
 * written for what the reference writes nothing for.
 */
export function writeEvents(
  journal: readonly JournalEntry[],
  steps: StepTable<EventsRow>,
): readonly ConductorLogEvent[] {
  const writer = new EventWriter(steps);
  for (const entry of journal) {
    take(writer, entry);
    writer.before = entry.at;
  }
  return writer.events;
}

function take(writer: EventWriter, entry: JournalEntry): void {
  switch (entry.type) {
    case 'run_started':
      beginRun(writer, entry as JournalEntry<'run_started'>);
      return;
    case 'segment_opened':
      writeWorkflowStart(writer, entry, { resumed: true });
      return;
    case 'segment_ended':
      writeTerminal(writer, entry, entry.data.envelope);
      return;
    case 'observed':
      writeObserved(writer, entry, entry.data);
      return;
    case 'recorded':
    case 'step_ended':
      takeOutcome(writer, entry as JournalEntry<'recorded' | 'step_ended'>);
      return;
    case 'scope_opened':
      writeUnitStart(writer, entry as JournalEntry<'scope_opened'>);
      return;
    case 'unit_ended':
      writeUnitEnd(writer, entry as JournalEntry<'unit_ended'>);
      return;
    case 'request_opened':
      writeRequest(writer, entry as JournalEntry<'request_opened'>);
      return;
    case 'request_answered':
      writeAnswer(writer, entry as JournalEntry<'request_answered'>);
      return;
    default:
      return;
  }
}

/** The files of a run are part of what it was started with. */
function beginRun(writer: EventWriter, { at, data }: JournalEntry<'run_started'>): void {
  const { source, options } = objectOf(data.input);
  const { file, files } = objectOf(source);
  writer.files = objectOf(files);
  writer.skipsGates = objectOf(options)['skipGates'] === true;
  const described = typeof file === 'string' ? writer.describe(file) : undefined;
  writer.workflows.set('', newScope({ path: '', slots: [], startedAt: at, source: described }));
}

function takeOutcome(writer: EventWriter, entry: JournalEntry<'recorded' | 'step_ended'>): void {
  const { data } = entry;
  const value: JsonObject = data.ok && isObject(data.value) ? (data.value as JsonObject) : {};
  if (writer.workflows.has(entry.scope)) writeStepEnd(writer, entry, value);
  else writeUnitRecord(writer, entry, value);
}
