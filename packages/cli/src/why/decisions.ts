import type { JsonValue } from 'fullstop';
import type { EntryData, JournalEntry } from 'fullstop/journal';
import { localTime, valueText } from '../journal/value-text.js';
import { evasionText, isEvasion } from './request-question.js';

type ReceivedAnswer = EntryData['request_answered']['answer'];

/** Everything that people decided in a run, in order. */
export function decisionsIn(journal: readonly JournalEntry[]): readonly string[] {
  return journal.flatMap((entry) =>
    entry.type === 'request_answered' ? [`${decisionText(entry.data.answer)} (${localTime(entry.at)})`] : [],
  );
}

/** Who said what to a request, with the note: `maria chose reject at review: too old`. */
export function decisionText({ requestId, decision, value, by, reason, expired }: ReceivedAnswer): string {
  const note = reason === undefined ? '' : `: ${valueText(reason, 200)}`;
  if (expired === true) return `nobody answered ${requestId} in time${note}`;
  const who = by ?? 'someone';
  if (decision === 'deny') return `${who} said no to ${requestId}${note}`;
  if (decision === 'approve') return `${who} said yes to ${requestId}${note}`;
  return `${who} chose ${choiceText(value)} at ${requestId}${note}`;
}

/** Of a gate with fields the choice, then the fields. */
function choiceText(value: JsonValue | undefined): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return plain(value);
  const { selected, additional_input: fields } = value as { readonly [key: string]: JsonValue };
  if (selected === undefined) return plain(value);
  const isEmpty = typeof fields !== 'object' || fields === null || Object.keys(fields).length === 0;
  return isEmpty ? plain(selected) : `${plain(selected)} with ${plain(fields)}`;
}

function plain(value: JsonValue | undefined): string {
  if (typeof value === 'string' && isEvasion(value)) return evasionText(value);
  return typeof value === 'string' ? valueText(value, 80) : valueText(value ?? null, 80);
}
