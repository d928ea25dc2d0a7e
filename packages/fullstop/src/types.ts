/**
 * Types only: the interface of each kind of termination, which `Termination<'max_iterations'>` finds by name, the parts of messages,
 * and types that the compiler writes into the declarations of code that infers them.
 */
export type { AgentOutput } from './agent/define-agent.js';
export type { AgentEnding } from './agent/kinds.js';
export type { JournalledRepair, JournalledStep } from './agent/machine/state.js';
export type { AnyAgentOptions, FreshPromptView, PromptFor } from './agent/options/agent-options.js';
export type { ContextNeeding, ContextOf, ContextProvider, ContextRequest } from './agent/options/context.js';
export type { EndView, HookFacts, ModelCallView } from './agent/options/hooks.js';
export type { CallSettings } from './agent/options/model-settings.js';
export type { PrepareStepView } from './agent/options/prepare-step.js';
export type { BrokenCallView, RepairedCall } from './agent/options/repair-tool-call.js';
export type {
  AssistantMessage,
  AssistantPart,
  FilePart,
  ProviderOptions,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from './models/message.js';
export type { ReasoningEffort } from './models/model-request.js';
export type {
  ModelDelta,
  ModelFinish,
  ModelResponse,
  ModelSource,
  ModelToolCall,
  ModelUsage,
} from './models/model-response.js';
export type { AlwaysPossible, EndingOfBody, OutputOfBody } from './run/define-run.js';
export type { EndingOfKind } from './stop/condition.js';
export type { AnyTerminationDefinition, DialectWords } from './termination/define-termination.js';
export type { CategoryOf, FamilyOf, FieldsOf, InCategory, InFamily } from './termination/ending.js';
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
  ProviderQuota,
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
export type { EndingOf, RegisteredKind } from './termination/registry.js';
export type { TerminationConstructor } from './termination/terminations.js';
