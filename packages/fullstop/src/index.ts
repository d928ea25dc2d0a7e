export { type MemoryEngineOptions, memoryEngine } from './engines/memory/memory-engine.js';
export { type Clock, systemClock } from './engines/port/clock.js';
export {
  type AbortSignalLike,
  type Definition,
  type Engine,
  FencedError,
  type InboxMessage,
  type JournalQuery,
  type OutboxItem,
  type ReopenReceipt,
  type ReopenRequest,
  type RunFilter,
  RunIdConflict,
  type RunIdentity,
  type RunPage,
  type RunState,
  type RunSummary,
  type Session,
  type StartRequest,
  type Worker,
  type WorkerOptions,
} from './engines/port/engine.js';
export type { Envelope, Resumable } from './engines/port/envelope.js';
export type { FetchLike, ProcessLike } from './engines/port/host.js';
export type {
  CancelRequest,
  EntryData,
  EntryDraft,
  EntryType,
  JournalEntry,
  SegmentCause,
  StepOutcome,
} from './engines/port/journal-entry.js';
export type {
  Answer,
  AnswerReceipt,
  OnExpiry,
  OpenRequest,
  ReceivedAnswer,
  Request,
} from './engines/port/request.js';
export type { Charge, Usage } from './engines/port/usage.js';
export type { LastSeen } from './run/abandon-segment.js';
export { type ActiveRun, activeRuns } from './run/active-runs.js';
export { end } from './run/body-result.js';
export {
  type AlwaysPossible,
  type DefineRunOptions,
  defineRun,
  type EndingOfBody,
  type OutputOfBody,
  type ResumeOptions,
  type RunDefinition,
  type RunOptions,
  type RunResult,
} from './run/define-run.js';
export {
  type DeliverOptions,
  deliverNotices,
  type Notice,
  type NoticeDelivery,
  type NoticeFailure,
  type NoticeTarget,
  type WebhookTarget,
} from './run/deliver.js';
export { type DriveOptions, drive } from './run/drive.js';
export { RunCancelled, StepFailed } from './run/errors.js';
export { exportJournal, importJournal, type JournalImport } from './run/journal-file.js';
export type { LedgerView } from './run/ledger.js';
export type { LimitChange, Limits } from './run/limits.js';
export type { Decision, Effect, Machine, Observation, Performer } from './run/machine.js';
export {
  type HeadersLike,
  type VerifiedNotice,
  type VerifyNoticeOptions,
  verifyNotice,
} from './run/notice-signature.js';
export {
  createPrices,
  estimateTokens,
  estimateUsage,
  type KnownPrice,
  type Price,
  type PriceRequirement,
  type Prices,
  type TokenCount,
} from './run/prices.js';
export {
  handleSignals,
  type SignalHandling,
  type SignalOptions,
  type SignalReport,
  type StopSignal,
} from './run/process-signals.js';
export type { RetryPolicy } from './run/retry.js';
export type {
  BodyResult,
  ChildOptions,
  End,
  RunContext,
  Spawnable,
  SpawnedRun,
  StepAttempt,
  StepOptions,
  UnitResult,
} from './run/run-context.js';
export { createSecrets, type Secrets } from './run/secrets.js';
export { type Abandonable, type SweepOptions, sweepAbandoned } from './run/sweep.js';
export { type JournalVerdict, type VerifyOptions, verifyJournal } from './run/verify-journal.js';
export { assertNever } from './termination/assert-never.js';
export { category, describe, family, isOpen, nextAction, outcome } from './termination/classify.js';
export {
  type Codec,
  type CodecOptions,
  createCodec,
  type Decoded,
  decode,
  encode,
  safeDecode,
} from './termination/codec.js';
export {
  type AnyTerminationDefinition,
  type DefinedTermination,
  type DialectWords,
  defineTermination,
  type TerminationDefinition,
  type TerminationOptions,
} from './termination/define-termination.js';
export type {
  Category,
  CategoryOf,
  Ending,
  Family,
  FamilyOf,
  FieldsOf,
  InCategory,
  InFamily,
  Outcome,
} from './termination/ending.js';
export type { ErrorData } from './termination/error-data.js';
export { FullstopError, type FullstopErrorCode, type Issue } from './termination/fullstop-error.js';
export type { JsonObject, JsonValue } from './termination/json.js';
export type {
  Completed,
  ContentMatched,
  Converged,
  CriteriaMet,
  FlowCompleted,
  NaturalEnd,
  PluginRequested,
  Skipped,
  Submitted,
  Terminated,
  ToolCalled,
} from './termination/kinds/completion.js';
export type {
  ConsecutiveErrors,
  ConsecutiveMistakes,
  LoopDetected,
  Mistake,
  NoProgress,
  RepeatedCall,
  StallDetected,
} from './termination/kinds/detector.js';
export type {
  ChildEnding,
  ChildFailed,
  ChildReference,
  CompactionFailed,
  Failed,
  NoRoute,
  OutputTruncated,
  PromptTooLong,
  ProviderAuth,
  ProviderFailed,
} from './termination/kinds/error.js';
export type { Custom, Indeterminate } from './termination/kinds/extension.js';
export type { Abandoned, Cancelled, Halted, Halter } from './termination/kinds/external.js';
export type {
  AnswerOption,
  GateExpired,
  GatePending,
  HumanInterventionRequired,
  InteractionPending,
  PendingGate,
  PendingRequest,
} from './termination/kinds/human.js';
export type {
  BudgetPressure,
  CostBudget,
  CycleBudget,
  FactBudget,
  MaxIterations,
  MaxToolCalls,
  TimeBudget,
  TokenBudget,
} from './termination/kinds/limit.js';
export type {
  AgentRefused,
  CriteriaUnmet,
  InvariantViolated,
  PostValidationFailed,
  PromotionRejected,
  SchemaValidation,
  StructuredOutputExhausted,
  Violation,
} from './termination/kinds/validation.js';
export type {
  AnyTermination,
  BuiltInKind,
  BuiltInKinds,
  Termination,
  TerminationKinds,
  Unlisted,
} from './termination/kinds.js';
export { match, matchCategory } from './termination/match.js';
export type { SizeLimits } from './termination/measure.js';
export {
  isCancelled,
  isCapacity,
  isCompletion,
  isDetector,
  isError,
  isExtension,
  isExternal,
  isFatal,
  isHuman,
  isLimit,
  isPaused,
  isRetryable,
  isSuccess,
  isValidation,
} from './termination/predicates.js';
export { createRegistry, type EndingOf, type RegisteredKind, type Registry } from './termination/registry.js';
export { rootCause } from './termination/root-cause.js';
export type { StandardSchema } from './termination/standard-schema.js';
export { allKinds } from './termination/table.js';
export { type TagOptions, tagOf } from './termination/tag-of.js';
export { type Constructor, isTermination, type Terminations, terminations } from './termination/terminations.js';
export { type ErrorDataOptions, toErrorData } from './termination/to-error-data.js';
