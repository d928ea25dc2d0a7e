import type { ConversationPlace } from '../port/conversation-place.js';
import type { RunIdentity } from '../port/engine.js';
import type { Envelope, StoredEnvelope } from '../port/envelope.js';
import type { EntryDraft, JournalEntry } from '../port/journal-entry.js';
import { readEffect } from '../rules/entry-effect.js';
import { damagedError } from './damaged-error.js';
import type { EntryRow, StoredEntry, StoredRun } from './operations.js';

/** Copies an entry's value as it is now; whatever its owner does to it later has no effect. */
export function toRow(draft: EntryDraft): EntryRow {
  const { scope, ordinal, at, type, key } = draft;
  const effect = readEffect(draft);
  const row = { scope, ordinal, at, type, key: key ?? null, data: JSON.stringify(draft.data) };
  return effect === undefined ? row : { ...row, effect };
}

/**
 * Entries as they were read. Equal types and scopes become one text each: whatever looks through a long history compares
 * them again and again, and would have to read ten thousand copies.
 */
export function toEntries(runId: string, stored: readonly StoredEntry[]): readonly JournalEntry[] {
  const texts = new Map<string, string>();
  const internText = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  return stored.map((entry) => toEntry(runId, entry, internText(entry.scope), internText(entry.type)));
}

function toEntry(runId: string, stored: StoredEntry, scope: string, type: string): JournalEntry {
  const { segment, seq, ordinal, at, key, hash } = stored;
  const data = parseData(runId, stored);
  const entry =
    key === null
      ? { runId, segment, seq, scope, ordinal, at, type, data, hash }
      : { runId, segment, seq, scope, ordinal, at, type, data, hash, key };
  return entry as JournalEntry;
}

/** A text that was changed may be no JSON any more; whoever reads entries without their chain learns of it here. */
function parseData(runId: string, { seq, data }: StoredEntry): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (cause) {
    throw damagedError({ runId, seq, reason: `entry ${seq} is no JSON` }, { cause });
  }
}

/** The envelope in the last entry of a segment, with the head that it could not hold itself. */
export function toEnvelope({ data, hash }: StoredEntry): Envelope {
  const { envelope } = JSON.parse(data) as { readonly envelope: StoredEnvelope };
  return { ...envelope, headHash: hash, persisted: true };
}

/** A run as the table of runs has it. */
export function toStoredRun({ runId, name, version, parent, conversation }: RunIdentity): StoredRun {
  return {
    runId,
    name,
    version,
    parentRun: parent?.runId ?? null,
    parentScope: parent?.scope ?? null,
    conversation: conversation?.id ?? null,
    turn: conversation?.turn ?? null,
    afterRun: conversation?.after?.runId ?? null,
    afterSegment: conversation?.after?.segment ?? null,
  };
}

export function toIdentity(run: StoredRun): RunIdentity {
  const { runId, name, version, parentRun, parentScope } = run;
  const conversation = toPlace(run);
  return {
    runId,
    name,
    version,
    ...(parentRun !== null && { parent: { runId: parentRun, scope: parentScope ?? '' } }),
    ...(conversation !== undefined && { conversation }),
  };
}

function toPlace({ conversation, turn, afterRun, afterSegment }: StoredRun): ConversationPlace | undefined {
  if (conversation === null || turn === null) return undefined;
  const after = afterRun === null || afterSegment === null ? undefined : { runId: afterRun, segment: afterSegment };
  return { id: conversation, turn, ...(after !== undefined && { after }) };
}
