import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { makeScope } from '../../run/journal/scope-path.js';
import { outcome } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonObject } from '../../termination/json.js';
import { reportError } from '../machine/report-error.js';
import { objectOf } from './described-workflow.js';
import { endDialog } from './dialog-events.js';
import type { EndedStep, EventWriter } from './event-writer.js';
import { writeMemberEnd } from './member-events.js';
import { memberOf } from './member-of-key.js';
import { writeValidatorEnd } from './model-events.js';
import { parsedText } from './parsed-text.js';
import { settleAnswer } from './question-events.js';
import { beginMember } from './step-events.js';
import { writeEnding } from './terminal-events.js';

/** How the unit of a step ended. */
export function writeUnitEnd(writer: EventWriter, entry: JournalEntry<'unit_ended'>): void {
  const key = entry.key ?? '';
  const workflow = writer.workflows.get(entry.scope);
  if (workflow === undefined) {
    const around = writer.units.get(entry.scope);
    if (around !== undefined && key === 'validator') writeValidatorEnd(writer, entry, around);
    return;
  }
  const scope = makeScope(entry.scope, key);
  const unit = writer.units.get(scope);
  if (unit === undefined) return;
  const { termination } = entry.data;
  if (termination.kind === 'cancelled') return;
  beginMember(writer, entry, unit);
  settleAnswer(writer, unit);
  endDialog(writer, entry, unit);
  const verdict = outcome(termination as Ending);
  const isDone = verdict === 'succeeded' || verdict === 'skipped';
  const returned = objectOf(entry.data.output);
  const output = parsedText(returned['output']);
  const child = writer.workflows.get(scope);
  if (child !== undefined) writeEnding(writer, entry, { workflow: child, termination, output });
  const asksModel = writer.steps.find(unit.kind)?.machine.asksModel === true;
  const error = isDone ? undefined : reportError(termination, { asksModel });
  const elapsed = (entry.at - unit.openedAt) / 1000;
  const ended: EndedStep = { unit, isDone, outcome: returned, output, termination, error, elapsed };
  const event = unit.unmapped === true ? undefined : writer.eventsOf(unit.kind).ended?.(ended);
  if (event !== undefined) writer.write(workflow, entry, event.type, { agent_name: unit.step, ...event.data });
  const member = memberOf(workflow, key);
  if (member === undefined) return;
  const problem = error === undefined ? undefined : { name: error.name, message: error.message };
  writeMemberEnd(writer, entry, { workflow, member, problem, since: unit.openedAt, used: usedBy(ended), output });
}

/** The cost of models, where any was asked. */
function usedBy({ unit: { usage }, outcome }: EndedStep): JsonObject {
  return { model: usage.model ?? '', tokens: outcome['tokens'] ?? 0, cost_usd: outcome['costUsd'] ?? null };
}
