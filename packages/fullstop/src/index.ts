// The compiler loads these with the root entry, so that the declarations of users can name every type that they infer.
/// <reference path="./engine.ts" preserve="true" />
/// <reference path="./journal.ts" preserve="true" />
/// <reference path="./machine.ts" preserve="true" />
/// <reference path="./notices.ts" preserve="true" />
/// <reference path="./types.ts" preserve="true" />

export type { Agent, AgentEnd, AgentResult, AgentResumeOptions, AgentRunOptions } from './agent/agent.js';
export { defineAgent } from './agent/define-agent.js';
export { possibleKinds } from './agent/kinds.js';
export type { ChildRecord, IterationRecord, ToolCallRecord } from './agent/machine/state.js';
export type { AgentInput, AgentOptions, ModelRetry } from './agent/options/agent-options.js';
export {
  type CompactionHelp,
  type CompactionOptions,
  type CompactionStrategy,
  clearToolResults,
  type MaskOptions,
  maskToolResults,
  pin,
  type SummariseOptions,
  summarise,
} from './agent/options/compaction.js';
export {
  approve,
  type BlockDirective,
  block,
  type Directive,
  deny,
  type FinishDirective,
  finish,
  type HaltDirective,
  halt,
  type InjectDirective,
  inject,
  type SubmitDirective,
  submit,
  type TransformDirective,
  transform,
} from './agent/options/directive.js';
export { type Goal, type GoalCheck, type GoalOptions, type GoalView, goal } from './agent/options/goal.js';
export type {
  AgentHooks,
  CompactionView,
  IterationView,
  PromptView,
  ResponseView,
  ToolResultView,
  ToolView,
} from './agent/options/hooks.js';
export type { ModelSettings } from './agent/options/model-settings.js';
export type { AgentPermissions } from './agent/options/permissions.js';
export type { PrepareStep, StepPreparation } from './agent/options/prepare-step.js';
export type { RepairToolCall } from './agent/options/repair-tool-call.js';
export { type RunAgentOptions, runAgent } from './agent/run-agent.js';
export type { AgentStream, FollowOptions } from './agent/stream/agent-stream.js';
export { type AgentDelta, type DeltaListener, type DeltaPlace, listenToDeltas } from './agent/stream/deltas.js';
export type { RunEventOptions } from './agent/stream/run-events.js';
export { type UIMessageLike, uiAnswers } from './agent/stream/ui-answers.js';
export {
  isDiscarded,
  type UIEnding,
  type UIEndingData,
  type UIFinishReason,
  type UIMark,
  type UIMessageChunk,
  type UIToolChunk,
} from './agent/stream/ui-chunk.js';
export type { UIMessageStreamOptions, UIStreamError } from './agent/stream/ui-stream-options.js';
export { type AgentAsToolOptions, type AgentTool, agentAsTool } from './agent/tools/agent-as-tool.js';
export { type ClientTool, clientTool, type ResultNote, toolError, toolResult } from './agent/tools/client-tool.js';
export { type HandOffOptions, type HandOffTool, handOff } from './agent/tools/hand-off.js';
export {
  type McpClientLike,
  type McpTool,
  type McpToolLike,
  type McpToolsOptions,
  mcpTools,
} from './agent/tools/mcp-tools.js';
export { type SubmitToolOptions, submitTool } from './agent/tools/submit-tool.js';
export {
  type ApprovalTerms,
  type ClientTerms,
  requireApproval,
  type SubmitTool,
  type ToolCallOptions,
  type ToolLike,
  type ToolSet,
} from './agent/tools/tool.js';
export type {} from './engine.js';
export { type MemoryEngineOptions, memoryEngine } from './engines/memory/memory-engine.js';
export type { Envelope, Resumable } from './engines/port/envelope.js';
export type { ProviderLimit, ProviderLimits } from './engines/port/provider-gate.js';
export type { AnswerReceipt, OnExpiry, OpenRequest, RequestAnswer } from './engines/port/request.js';
export type { TokenUsage } from './engines/port/usage.js';
export type {} from './journal.js';
export type {} from './machine.js';
export type { LanguageModel } from './models/language-model.js';
export type { ModelMessage } from './models/message.js';
export {
  type EnvironmentVariables,
  type LoadModelOptions,
  loadModel,
  providerNames,
} from './models/providers/provider.js';
export type {} from './notices.js';
export type { LedgerView } from './run/accounts/ledger.js';
export type { ModelPrice } from './run/accounts/price.js';
export {
  createPrices,
  estimateTokens,
  estimateUsage,
  type KnownPrice,
  type ModelPrices,
  type PriceRequirement,
  type TokenCount,
} from './run/accounts/prices.js';
export {
  defineRun,
  type RunDefinition,
  type RunResult,
} from './run/define-run.js';
export { end } from './run/ending/body-result.js';
export { RunCancelled, StepFailed } from './run/errors.js';
export {
  type Isolated,
  type IsolatedErrorCode,
  type IsolateOptions,
  isolate,
} from './run/isolate/isolate.js';
export type { LimitChange, RunLimits } from './run/limits.js';
export { type ActiveRun, activeRuns } from './run/process/active-runs.js';
export {
  handleSignals,
  type SignalHandling,
  type SignalOptions,
  type SignalReport,
  type StopSignal,
} from './run/process/process-signals.js';
export { type SweepOptions, sweepAbandoned } from './run/process/sweep.js';
export type { RetryPolicy } from './run/retry.js';
export type {
  BodyResult,
  ChildOptions,
  RunContext,
  RunEnd,
  Spawnable,
  SpawnedRun,
  SpawnOptions,
  StepAttempt,
  StepOptions,
  UnitResult,
} from './run/run-context.js';
export type { DefineRunOptions, ResumeOptions, RunOptions } from './run/run-options.js';
export { environmentSecrets } from './run/secrets/environment-secrets.js';
export { createSecrets, type Secrets } from './run/secrets/secrets.js';
export type { StopCondition } from './stop/condition.js';
export { type ParseStopOptions, parseStopConditions, stopConditionsToJson } from './stop/condition-json.js';
export { budgetPressure } from './stop/conditions/budget-pressure.js';
export { consecutiveErrors } from './stop/conditions/consecutive-errors.js';
export { consecutiveMistakes } from './stop/conditions/consecutive-mistakes.js';
export { type ContentPattern, contentMatch } from './stop/conditions/content-match.js';
export { type CostBudgetOptions, costBudget } from './stop/conditions/cost-budget.js';
export { type LoopDetectionOptions, loopDetection } from './stop/conditions/loop-detection.js';
export { type MaxIterationsOptions, maxIterations } from './stop/conditions/max-iterations.js';
export { maxToolCalls } from './stop/conditions/max-tool-calls.js';
export { noProgress } from './stop/conditions/no-progress.js';
export { type StallDetectionOptions, stallDetection } from './stop/conditions/stall-detection.js';
export { type AskCondition, type ConditionVerdict, stopCondition } from './stop/conditions/stop-condition.js';
export { stopOnTool } from './stop/conditions/stop-on-tool.js';
export { type TimeoutOptions, type ToolTimeoutOptions, timeout } from './stop/conditions/timeout.js';
export { type TokenBudgetOptions, tokenBudget } from './stop/conditions/token-budget.js';
export type { Duration } from './stop/duration.js';
export type { LoopView } from './stop/observation.js';
export type { CallComparison } from './stop/round-key.js';
export { formatTireaStopConditions } from './stop/tirea-writer.js';
export { category, describe, family, isOpen, nextAction, outcome } from './termination/classify.js';
export {
  createCodec,
  type DecodedTermination,
  decode,
  encode,
  safeDecode,
  type TerminationCodec,
  type TerminationCodecOptions,
} from './termination/codec/codec.js';
export type { SizeLimits } from './termination/codec/measure.js';
export {
  type DefinedTermination,
  defineTermination,
  type TerminationDefinition,
  type TerminationOptions,
} from './termination/define-termination.js';
export type { Category, Ending, Family, Outcome } from './termination/ending.js';
export { equals } from './termination/equals.js';
export type { ErrorData } from './termination/errors/error-data.js';
export {
  FullstopError,
  type FullstopErrorCode,
  type FullstopErrorDetails,
  type ValueIssue,
} from './termination/errors/fullstop-error.js';
export { type ErrorDataOptions, toErrorData } from './termination/errors/to-error-data.js';
export type { JsonObject, JsonValue } from './termination/json.js';
export type {
  AnyTermination,
  BuiltInKind,
  BuiltInKinds,
  Termination,
  TerminationKinds,
  Unlisted,
} from './termination/kinds.js';
export { match, matchCategory } from './termination/match.js';
export { isCategory, isFamily } from './termination/predicates.js';
export { createRegistry, type TerminationRegistry } from './termination/registry.js';
export { rootCause } from './termination/root-cause.js';
export type { StandardSchema } from './termination/standard-schema.js';
export { allKinds } from './termination/table.js';
export { type TagOptions, tagOf } from './termination/tag-of.js';
export { isTermination, type Terminations, terminations } from './termination/terminations.js';
export type {} from './types.js';
