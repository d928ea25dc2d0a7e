import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { JsonObject } from '../../termination/json.js';
import type { Asked, EventWriter } from './event-writer.js';
import type { UnitScope } from './workflow-scope.js';

interface Spoken extends Asked {
  readonly role: 'agent' | 'user';
  readonly content: string;
}

/** Someone says something in the dialog of a step. */
export function speak(writer: EventWriter, entry: JournalEntry, { unit, request, role, content }: Spoken): void {
  const { workflow, step } = unit;
  if (unit.dialog === undefined) {
    unit.dialog = { id: request.id, turns: 0 };
    writer.write(workflow, entry, 'dialog_started', {
      dialog_id: unit.dialog.id,
      agent_name: step,
      opening_question: content,
    });
  }
  unit.dialog.turns += 1;
  const message: JsonObject = { dialog_id: unit.dialog.id, agent_name: step, role, content };
  writer.write(workflow, entry, 'dialog_message', message);
}

/** The dialog of a step is over when the step continues. */
export function endDialog(writer: EventWriter, entry: JournalEntry, unit: UnitScope): void {
  const { dialog, workflow, step } = unit;
  unit.dialog = undefined;
  if (dialog === undefined) return;
  writer.write(workflow, entry, 'dialog_completed', {
    dialog_id: dialog.id,
    agent_name: step,
    turn_count: dialog.turns,
  });
}
