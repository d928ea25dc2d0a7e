/** Journals: their entries, the grammar of their keys, their files, and the proof that nothing was changed. */
/// <reference path="./index.ts" preserve="true" />

export { type CallKey, type CountedKey, isModelKey, parseCallKey, parseCountedKey } from './agent/machine/agent-key.js';
export { type FactRef, parseFactRef } from './convergence/facts/fact-ref.js';
export { parseCycleKey, parseSuggestorKey, type SuggestorKey } from './convergence/machine/convergence-key.js';
export type {
  EntryData,
  EntryDraft,
  EntryType,
  ForkOrigin,
  JournalEntry,
  SegmentCause,
  StepOutcome,
} from './engines/port/journal-entry.js';
export { addUsd } from './engines/port/money.js';
export { parseUsingKey } from './pipeline/machine/pipeline-key.js';
export { activeTimes } from './run/accounts/active-timeline.js';
export { type Fork, type ForkOptions, fork } from './run/fork/fork.js';
export { type ForkPoint, forkPoints } from './run/fork/fork-points.js';
export { exportJournal, importJournal, type JournalImport } from './run/journal/journal-file.js';
export {
  attemptScope,
  isWithin,
  lastPart,
  makePart,
  makeScope,
  parentScope,
  parsePart,
  parseScope,
  type ScopePart,
  withoutMarks,
} from './run/journal/scope-path.js';
export { type JournalVerdict, type VerifyJournalOptions, verifyJournal } from './run/journal/verify-journal.js';
export {
  type GroupItem,
  isGroupKind,
  type MemberPlace,
  makeParallelUnit,
  type ParallelMember,
  parseItemUnit,
  parseMemberUnit,
  parseStepKey,
  parseVisitedUnit,
  possibleAskers,
  possibleStepNames,
  type StepKey,
  type VisitedUnit,
} from './workflow/graph/workflow-key.js';
