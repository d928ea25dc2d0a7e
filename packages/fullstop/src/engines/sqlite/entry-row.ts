import type { Envelope, StoredEnvelope } from '../port/envelope.js';
import type { EntryDraft, JournalEntry } from '../port/journal-entry.js';
import { wakeAtOf } from '../port/wake-at.js';
import type { Effect, EndingRow, EntryRow, StoredEntry } from './operations.js';

/** Takes an entry's value as it is now; whatever its owner does to it later has no effect. */
export function toRow(draft: EntryDraft): EntryRow {
  const { scope, ordinal, at, type, key } = draft;
  const effect = effectOf(draft);
  const row = { scope, ordinal, at, type, key: key ?? null, data: JSON.stringify(draft.data) };
  return effect === undefined ? row : { ...row, effect };
}

function effectOf(draft: EntryDraft): Effect | undefined {
  switch (draft.type) {
    case 'request_opened':
      return { type: 'request_opened', id: draft.data.request.id, deadline: draft.data.request.deadline ?? null };
    case 'request_answered': {
      const { requestId, at, by, expired } = draft.data.answer;
      return { type: 'request_answered', id: requestId, at, by: by ?? null, expired: expired === true };
    }
    case 'request_expired':
      return { type: 'request_expired', id: draft.data.requestId };
    case 'request_withdrawn':
      return { type: 'request_withdrawn', id: draft.data.requestId };
    case 'cancel_requested':
      return { type: 'cancel_requested' };
    case 'segment_ended':
      return { type: 'segment_ended', ending: endingRow(draft.data.envelope) };
    default:
      return undefined;
  }
}

function endingRow(envelope: StoredEnvelope): EndingRow {
  const { termination, category, outcome, summary, open, endedAt, usage, costUsd, durationMs } = envelope;
  const used = { usage, costUsd, durationMs };
  const wakeAt = wakeAtOf(envelope) ?? null;
  return { kind: termination.kind, category, outcome, summary, open, endedAt, wakeAt, ...used };
}

/** Like `toRow`, for an entry that has its place already. */
export function toImportedRow(entry: JournalEntry): EntryRow {
  const row = toRow(entry);
  return entry.type === 'segment_opened'
    ? { ...row, effect: { type: 'segment_opened', by: entry.data.by ?? null } }
    : row;
}

/**
 * Entries as they were read. Equal types and scopes become one text each: whatever looks through a long history compares
 * them again and again, and would have to read ten thousand copies.
 */
export function toEntries(runId: string, stored: readonly StoredEntry[]): readonly JournalEntry[] {
  const texts = new Map<string, string>();
  const only = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  return stored.map((entry) => toEntry(runId, entry, only(entry.scope), only(entry.type)));
}

function toEntry(runId: string, stored: StoredEntry, scope: string, type: string): JournalEntry {
  const { segment, seq, ordinal, at, key, hash } = stored;
  const data = JSON.parse(stored.data) as unknown;
  const entry =
    key === null
      ? { runId, segment, seq, scope, ordinal, at, type, data, hash }
      : { runId, segment, seq, scope, ordinal, at, type, data, hash, key };
  return entry as JournalEntry;
}

/** The envelope that stands in the last entry of a segment, with the head that it could not hold itself. */
export function toEnvelope({ data, hash }: StoredEntry): Envelope {
  const { envelope } = JSON.parse(data) as { readonly envelope: StoredEnvelope };
  return { ...envelope, headHash: hash, persisted: true };
}
