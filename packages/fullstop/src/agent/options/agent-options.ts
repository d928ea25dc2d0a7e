import type { LanguageModel } from '../../models/language-model.js';
import type { ModelMessage } from '../../models/message.js';
import type { ModelPrice } from '../../run/accounts/price.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import type { StopCondition } from '../../stop/condition.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import type { StandardSchema } from '../../termination/standard-schema.js';
import type { ToolCallRecord } from '../machine/state.js';
import type { ToolSet } from '../tools/tool.js';
import type { CompactionOptions } from './compaction.js';
import type { ContextProvider } from './context.js';
import type { Goal } from './goal.js';
import type { AgentHooks } from './hooks.js';
import type { ModelSettings } from './model-settings.js';
import type { AgentPermissions } from './permissions.js';
import type { PrepareStep } from './prepare-step.js';
import type { RepairToolCall } from './repair-tool-call.js';

/** How often a model is asked again when it cannot answer. */
export interface ModelRetry {
  /** All attempts of one model, the first included; 3 unless given. */
  readonly attempts?: number;
  /** Before the second attempt; 500 unless given. Each delay is twice the one before. */
  readonly initialDelayMs?: number;
  /** 30,000 unless given. A provider that asks for a longer wait is not asked again. */
  readonly maximumDelayMs?: number;
  /** The failures after which the model is asked again: errors of the provider, calls that took too long; both unless given. */
  readonly on?: readonly ('error' | 'timeout')[];
}

/** Everything that defines an agent: its model, its tools, and what may end it. */
export interface AgentOptions<
  TKind extends string = never,
  TTools extends ToolSet = Record<never, never>,
  TSchema extends StandardSchema | undefined = undefined,
  TRepair extends number | false = number,
  TGoal extends Goal | undefined = undefined,
  TDefinitions extends readonly AnyTerminationDefinition[] = [],
  TPermissions extends AgentPermissions | undefined = undefined,
> {
  /** `agent` unless given. Workers and resumes find the definition by it. */
  readonly name?: string;
  /** Which code wrote the journal; '1' unless given. */
  readonly version?: string;
  /** The model: an object of any provider of the AI SDK. */
  readonly model: LanguageModel;
  /** Asked in this order when the model cannot answer. */
  readonly fallbackModels?: readonly LanguageModel[];
  /** How often a failed call of the model is tried again, and after which pauses. */
  readonly retry?: ModelRetry;
  /** Temperature, output tokens and other settings of every call. */
  readonly settings?: ModelSettings;
  /** How many times `maxOutputTokens` the model gets for a second try when thinking used it up; 4 unless given. */
  readonly raiseOutputCap?: number | false;
  /** The system message. */
  readonly instructions?: string;
  /** Writes the prompt of each iteration anew. Nothing else of earlier iterations goes to the model: the workspace is the memory. */
  readonly promptFor?: PromptFor;
  /** Chooses the model, the tools, the instructions, the messages and the settings of each call of the model. */
  readonly prepareStep?: PrepareStep;
  /** Repairs calls whose tool does not exist or whose arguments do not fit. */
  readonly repairToolCall?: RepairToolCall;
  /**
   * How often the model is called in an iteration while it asks for tools: 1 calls it once, 2 shows it the results once, more
   * are many round trips. 1 unless given, since in a conversation the next iteration shows the results; 2 with `promptFor`.
   */
  readonly roundsPerIteration?: number;
  /** The tools that the model may call, by name; those of the AI SDK work as they are. */
  readonly tools?: TTools;
  /** Which tools may be called, and which only if a person agrees. */
  readonly permissions?: TPermissions;
  /** How many tool calls are made at once; all unless given. */
  readonly toolConcurrency?: number;
  /** The condition that ends the run, or a list of them; 50 iterations unless there is a `maxIterations` among them. */
  readonly stopWhen?: StopCondition<TKind> | readonly StopCondition<TKind>[];
  /** Made with `goal(isReached)`. */
  readonly goal?: TGoal;
  /** The schema of the final answer. */
  readonly output?: TSchema;
  /** How often the model may correct an output that does not fit; 2 unless given. */
  readonly repair?: TRepair;
  /** The message to the model in the last iteration, when a budget is nearly used up. */
  readonly wrapUp?: string;
  /** Makes the conversation shorter when it does not fit the model; without it an overflow ends the run. */
  readonly compaction?: CompactionOptions;
  /** Callbacks at fixed places of the loop, whose verdicts are journalled. */
  readonly hooks?: AgentHooks;
  /** True when a run without a context makes no sense, such as for hooks that look at it; tools say so themselves. */
  readonly needsContext?: boolean;
  /** Kinds of one's own that this agent may end with. */
  readonly terminations?: TDefinitions;
  /** The tags that `custom` endings may have; others are tagged as `custom`. */
  readonly customTags?: readonly string[];
  /** Makes the outcome of these endings `succeeded`; the termination is kept. */
  readonly treatAsSuccess?: (termination: Ending) => boolean;
  /** Prices of models that are not known, or that differ from the list. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /** Lets a cost budget stand although the price of a model is not known. */
  readonly allowUnknownPrices?: boolean;
  /** Values that are sealed in the journal and masked on every way out. */
  readonly secrets?: Secrets;
  /** How long cancelled work may take to unwind; 5,000 unless given. */
  readonly graceMs?: number;
  /** The targets that hear of every ending, through the outbox of the engine. */
  readonly onEnding?: readonly string[];
}

/** The facts that the prompt of an iteration is written from. */
export interface FreshPromptView {
  /** 1 for the first. */
  readonly iteration: number;
  /** The conversation that the run was started with. */
  readonly input: readonly ModelMessage[];
  /** The latest answer. */
  readonly text: string;
  /** The calls of the iteration before, with their results. */
  readonly toolCalls: readonly ToolCallRecord[];
}

/** Asked once for each iteration; its answer is journalled. */
export type PromptFor = (view: FreshPromptView) => string | PromiseLike<string>;

/** Options of any agent. */
export interface AnyAgentOptions
  extends AgentOptions<
    string,
    ToolSet,
    StandardSchema | undefined,
    number | false,
    Goal | undefined,
    readonly AnyTerminationDefinition[],
    AgentPermissions | undefined
  > {
  readonly context?: ContextProvider;
}

/** The input of an agent: a text, or the beginning of a conversation. */
export type AgentInput = string | readonly ModelMessage[];
