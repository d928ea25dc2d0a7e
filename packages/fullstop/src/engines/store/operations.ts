import type { NoticeLease, OutboxItem, ReopenReceipt, RunFilter, RunState } from '../port/engine.js';
import type { EntryType, SegmentCause } from '../port/journal-entry.js';
import type { AnswerReceipt } from '../port/request.js';
import type { EndingFacts } from '../rules/ending-facts.js';
import type { EntryEffect } from '../rules/entry-effect.js';
import type { TurnRefusal } from '../rules/turns.js';
import type { RunChanges } from './run-changes.js';
import type { StoreFailure } from './store-failure.js';
import type { RunTally, TallyOptions } from './tally/run-tally.js';

// The questions of the engine to the store, as plain data: they may have to cross to another thread.

/** An entry on its way into the journal; `data` is JSON text. */
export interface EntryRow {
  readonly scope: string;
  readonly ordinal: number;
  readonly at: number;
  readonly type: string;
  readonly key: string | null;
  readonly data: string;
  readonly effect?: EntryEffect;
}

/** The hashes of entries, computed in advance: valid if the entry before them is the one they were made for. */
export interface ChainedRows {
  /** The hash of that entry. */
  readonly after: string;
  readonly hashes: readonly string[];
}

/** An entry as it was read; `data` is JSON text again. */
export interface StoredEntry {
  readonly segment: number;
  readonly seq: number;
  readonly scope: string;
  readonly ordinal: number;
  readonly at: number;
  readonly type: string;
  readonly key: string | null;
  readonly data: string;
  readonly hash: string;
}

/** Entries of a journal that fit the chain; there are more, and `seen` is for the next question. */
interface InnerPart {
  readonly entries: readonly StoredEntry[];
  readonly seen: readonly StoredEntry[];
}

/** The last ones of a journal, with what the whole is worth; none where it is not consistent. */
export interface LastPart {
  readonly entries: readonly StoredEntry[];
  readonly verification: StoreVerification;
}

export interface StoredMessage {
  readonly id: number;
  readonly runId: string;
  readonly type: 'answer' | 'cancel';
  readonly request: string | null;
  readonly at: number;
  readonly data: string;
}

export interface StoredRun {
  readonly runId: string;
  readonly name: string;
  readonly version: string;
  readonly parentRun: string | null;
  readonly parentScope: string | null;
  readonly conversation: string | null;
  readonly turn: number | null;
  readonly afterRun: string | null;
  readonly afterSegment: number | null;
}

export interface StoredSummary extends StoredRun {
  readonly state: RunState;
  /** Who has it, or had it last. */
  readonly worker: string | null;
  /** True while it is running with an owner that is gone. */
  readonly isOrphaned: boolean;
  /** When its owner was last seen, if it is running and that is longer ago than the lease. */
  readonly silentSince: number | null;
  readonly segment: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** The latest ending as the journal has it. */
  readonly ending: EndingFacts | null;
  readonly damage: Omit<Damage, 'runId'> | null;
}

/** A session's right to write: good until the epoch changes. */
export interface Claim {
  readonly run: number;
  readonly runId: string;
  readonly segment: number;
  readonly epoch: number;
}

export interface ClaimedRun extends StoredRun, Claim {
  readonly recoveries: number;
  /** The owners that were lost since the last entry, as JSON text. */
  readonly lostOwners: string | null;
  readonly entries: readonly StoredEntry[];
  readonly messages: readonly StoredMessage[];
  /** The newest message at the time of the claim. */
  readonly lastMessage: number;
}

/** The process that claims. */
export interface Owner {
  readonly id: string;
  readonly host: string;
  readonly space: string;
  readonly pid: number;
  readonly startedAt: string;
}

export interface Claimant {
  readonly owner: Owner;
  readonly worker: string;
  readonly now: number;
  /** The steady time at which this was asked. */
  readonly monotonic: number;
  /** A number that this process has not used before: its sign of life. */
  readonly beat: number;
  readonly leaseMs: number;
}

/** Says that what is stored of a run cannot be trusted; `seq` is 0 where that is not about an entry. */
export interface Damage {
  readonly runId: string;
  readonly seq: number;
  readonly reason: string;
}

export interface RunStatus {
  readonly runId: string;
  readonly state: RunState;
  readonly segment: number;
  readonly wakeAt: number | null;
  /** The entry of the latest ending, unless a later segment was opened. */
  readonly ending: StoredEntry | null;
  readonly damage: Damage | null;
}

/** Which entries of a journal are asked for. */
export interface StoredQuery {
  readonly after: number;
  readonly limit: number;
  readonly types: readonly EntryType[] | null;
  readonly newest: number | null;
}

/** The result of a check of a journal. */
export type StoreVerification =
  | { readonly status: 'consistent'; readonly entries: number }
  /** The head that was given is the hash of entry `seq`. */
  | { readonly status: 'proved'; readonly entries: number; readonly seq: number }
  | { readonly status: 'broken'; readonly seq: number; readonly reason: string }
  /** It was removed on purpose; only its length and its last hash are left. */
  | {
      readonly status: 'erased';
      readonly at: number;
      readonly entries: number;
      readonly head?: string;
      readonly by?: string;
    }
  | { readonly status: 'unknown' };

/** Which ended runs to remove. */
export interface PruneQuery {
  readonly endedBefore: number;
  readonly keep: number;
  readonly includeOpen: boolean;
  readonly limit: number;
}

/** A message to a run as it is kept, also after the run has read it. */
export interface RunLetter {
  readonly type: 'answer' | 'cancel';
  readonly request: string | null;
  readonly sender: string | null;
  readonly at: number;
  readonly data: string;
  readonly consumed: boolean;
}

/** Everything about a run that its journal does not say. */
export interface RunBelongings {
  readonly state: RunState;
  readonly wakeAt: number | null;
  readonly letters: readonly RunLetter[];
  /** The notices that were not delivered yet. */
  readonly notices: readonly OutboxItem[];
}

/** The tombstone of a run that was erased. */
export interface RunErasure {
  readonly runId: string;
  readonly at: number;
  readonly entries: number;
  readonly head: string | null;
  readonly by: string | null;
}

/** Whether a store changes no more. */
export type SealReceipt =
  | { readonly status: 'sealed' }
  /** These runs are being executed; nothing was done. */
  | { readonly status: 'busy'; readonly runIds: readonly string[] }
  /** It was sealed before, for another store. */
  | { readonly status: 'moved'; readonly to: string };

/** An instant, by the clock of the runs and by the steady one. */
export interface Instant {
  readonly now: number;
  readonly monotonic: number;
}

export interface Operations {
  start: {
    input: { readonly run: StoredRun; readonly now: number; readonly data: string };
    /** The text of the first entry, when there is a run of that id. */
    output: 'started' | { readonly existing: string } | { readonly refusal: TurnRefusal };
  };
  reopen: {
    input: {
      readonly runId: string;
      readonly after: number;
      readonly because: SegmentCause;
      readonly by: string | null;
      readonly options: string | null;
      readonly answers: readonly AnswerRow[];
      readonly now: number;
    };
    output:
      | Exclude<ReopenReceipt, { readonly status: 'closed' }>
      | { readonly status: 'closed'; readonly ending: StoredEntry };
  };
  claim: { input: { readonly runId: string; readonly claimant: Claimant }; output: ClaimedRun | Damage | undefined };
  claimNext: {
    input: {
      readonly definitions: readonly (readonly [name: string, version: string])[];
      readonly limit: number;
      readonly claimant: Claimant;
    };
    output: {
      readonly claimed: readonly ClaimedRun[];
      readonly damaged: readonly Damage[];
      readonly nextWakeAt: number | null;
    };
  };
  append: {
    input: {
      readonly claim: Claim;
      readonly rows: readonly EntryRow[];
      readonly chained?: ChainedRows | undefined;
    };
    output: 'written' | 'fenced';
  };
  conclude: {
    input: {
      readonly claim: Claim;
      readonly rows: readonly EntryRow[];
      readonly outbox: readonly OutboxItem[];
      readonly lastMessage: number;
      readonly now: number;
    };
    output: { readonly headHash: string } | 'fenced';
  };
  park: {
    input: {
      readonly claim: Claim;
      readonly rows: readonly EntryRow[];
      readonly wakeAt: number | null;
      readonly lastMessage: number;
    };
    output: 'parked' | 'fenced';
  };
  release: {
    /** `crashed` counts as a death of the owner, so that a run that always does so reaches an end. */
    input: { readonly claims: readonly Claim[]; readonly crashed: boolean };
    output: undefined;
  };
  answer: {
    input: { readonly runId: string; readonly answer: AnswerRow; readonly now: number };
    output: { readonly receipt: AnswerReceipt; readonly message?: StoredMessage };
  };
  cancel: {
    input: { readonly runId: string; readonly by: string; readonly data: string; readonly now: number };
    output: 'ended' | 'unknown' | StoredMessage;
  };
  expire: {
    input: { readonly claim: Claim; readonly requestId: string };
    /** The answer that had arrived in time, if one had. */
    output: 'fenced' | 'expired' | StoredMessage;
  };
  leaseNotices: { input: NoticeLease & { readonly now: number }; output: readonly OutboxItem[] };
  settleNotice: {
    input: { readonly id: string; readonly retryAt: number | null; readonly leasedUntil: number | null };
    output: undefined;
  };
  importRun: {
    input: {
      readonly run: StoredRun;
      readonly rows: readonly ImportedRow[];
      readonly belongings?: RunBelongings | undefined;
    };
    output: 'imported' | 'exists';
  };
  /** Refuses every change from now on, unless a run is being executed: those are returned instead. */
  seal: {
    input: { readonly to: string; readonly now: number; readonly ownerId: string; readonly monotonic: number };
    output: SealReceipt;
  };
  unseal: { input: undefined; output: undefined };
  /** Where the store was moved to, if it was. */
  movedTo: { input: undefined; output: string | null };
  /** The runs with a smaller place than this, those that were stored last first. */
  runIds: {
    input: { readonly before: number | null; readonly limit: number };
    output: readonly { readonly place: number; readonly runId: string }[];
  };
  belongings: { input: { readonly runId: string }; output: RunBelongings | undefined };
  erasures: { input: undefined; output: readonly RunErasure[] };
  bury: { input: { readonly erasures: readonly RunErasure[] }; output: undefined };
  heartbeat: { input: { readonly claimant: Claimant; readonly claims: readonly Claim[] }; output: readonly Claim[] };
  sweep: { input: { readonly ownerId: string; readonly monotonic: number }; output: number };
  retire: { input: { readonly ownerId: string }; output: undefined };
  erase: {
    input: { readonly runId: string; readonly now: number; readonly by: string | null };
    output: 'erased' | 'lingering' | 'running' | 'unknown';
  };
  /** The ids of the runs that were removed. */
  prune: { input: PruneQuery; output: readonly string[] };
  backup: { input: { readonly file: string }; output: undefined };
  openRequests: { input: { readonly runId: string }; output: readonly string[] };
  status: { input: { readonly runIds: readonly string[] }; output: readonly RunStatus[] };
  list: { input: RunFilter & { readonly limit: number } & Instant; output: readonly StoredSummary[] };
  summary: { input: { readonly runId: string } & Instant; output: StoredSummary | undefined };
  changes: { input: { readonly after: number | null; readonly limit: number }; output: RunChanges };
  tally: { input: TallyOptions & { readonly now: number }; output: RunTally };
  journal: {
    input: { readonly runId: string } & StoredQuery;
    output: readonly StoredEntry[];
  };
  verify: { input: { readonly runId: string; readonly head: string | null }; output: StoreVerification };
  /** The entries of a journal after those that were seen, checked against the last of these. */
  verified: { input: { readonly runId: string; readonly seen: readonly StoredEntry[] }; output: InnerPart | LastPart };
  check: { input: undefined; output: readonly string[] };
  dueNotices: { input: { readonly now: number; readonly limit: number }; output: readonly OutboxItem[] };
  /** Differs from the last time when another connection has committed something, or the connection is another one. */
  dataVersion: { input: undefined; output: string };
  messages: {
    input: { readonly after: number; readonly ownerId: string };
    output: { readonly messages: readonly StoredMessage[]; readonly last: number };
  };
  deadOwners: { input: { readonly ownerId: string; readonly monotonic: number }; output: boolean };
}

export interface AnswerRow {
  readonly requestId: string;
  readonly by: string | null;
  readonly data: string;
}

export interface ImportedRow extends EntryRow {
  readonly segment: number;
  readonly seq: number;
  readonly hash: string | null;
}

export type OperationName = keyof Operations;
export type InputOf<TName extends OperationName> = Operations[TName]['input'];
export type OutputOf<TName extends OperationName> = Operations[TName]['output'];

export type Operation = {
  readonly [TName in OperationName]: { readonly name: TName; readonly input: InputOf<TName> };
}[OperationName];

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: StoreFailure };

/** Carries out operations in order; those of one batch share a transaction. */
export interface Store {
  execute(batch: readonly Operation[]): readonly Outcome[] | Promise<readonly Outcome[]>;
  /** True when it holds up nobody in the event loop. */
  readonly inThread?: boolean;
  close(): void | Promise<void>;
}
