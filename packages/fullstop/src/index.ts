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
