/** Journals: their entries, their files, and the proof that nothing was changed. */
/// <reference path="./index.ts" preserve="true" />
export type {
  EntryData,
  EntryDraft,
  EntryType,
  JournalEntry,
  SegmentCause,
  StepOutcome,
} from './engines/port/journal-entry.js';
export { activeTimes } from './run/accounts/active-timeline.js';
export { exportJournal, importJournal, type JournalImport } from './run/journal/journal-file.js';
export { type JournalVerdict, type VerifyOptions, verifyJournal } from './run/journal/verify-journal.js';
