import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { ModelMessage } from '../../models/message.js';
import type { ObservedUsage } from '../../stop/observation.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type {
  BlockDirective,
  FinishDirective,
  HaltDirective,
  InjectDirective,
  TransformDirective,
} from './directive.js';

type Answer<T> = T | undefined | PromiseLike<T | undefined>;

/** The facts about its run that every hook gets. */
export interface HookFacts<TContext = unknown> {
  /** The context of the run; undefined when it has none. */
  readonly context: TContext;
  readonly runId: string;
  readonly signal: AbortSignalLike;
  /** Which attempt of its step this is, 1 for the first; undefined where the hook is asked outside a step. */
  readonly attempt: number | undefined;
  /** The same for every attempt of the step; undefined where the hook is asked outside a step. */
  readonly idempotencyKey: string | undefined;
}

/** The facts of an iteration that hooks see. */
export interface IterationView<TContext = unknown> extends HookFacts<TContext> {
  /** 1 for the first. */
  readonly iteration: number;
  readonly messages: readonly ModelMessage[];
  /** The usage of the run so far. */
  readonly usage: ObservedUsage;
  /** Its cost so far; null when the price of something is not known. */
  readonly costUsd: number | null;
  /** True when some of the usage, and so of the cost, had to be guessed; absent otherwise. */
  readonly estimated?: boolean;
}

/** One call of a model: which one answered, at which attempt, and what that used. */
export interface ModelCallView {
  /** After its provider: `openai.responses/gpt-5`. */
  readonly model: string;
  readonly attempts: number;
  readonly usage: ObservedUsage;
  /** Null when its price is not known. */
  readonly costUsd: number | null;
  /** True when some of its usage, and so of its cost, had to be guessed; absent otherwise. */
  readonly estimated?: boolean;
}

/** The facts that the hook at the start of a run sees. */
export interface PromptView<TContext = unknown> extends HookFacts<TContext> {
  /** The text of the user's latest message. */
  readonly prompt: string;
  readonly messages: readonly ModelMessage[];
}

/** The facts that a compaction strategy decides by. */
export interface CompactionView<TContext = unknown> extends IterationView<TContext> {
  /** How many messages there were before. */
  readonly before: number;
}

/** The facts that a hook after an answer of the model sees. */
export interface ResponseView<TContext = unknown> extends IterationView<TContext> {
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly tool: string; readonly input: JsonValue }[];
  /** The call of the model at hand; `usage` and `costUsd` are those of the run before it. */
  readonly call: ModelCallView;
}

/** The facts that a hook before a call of a tool sees. */
export interface ToolView<TContext = unknown> extends IterationView<TContext> {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: JsonValue;
}

/** The facts that a hook after a call of a tool sees. */
export interface ToolResultView<TContext = unknown> extends ToolView<TContext> {
  readonly result: JsonValue;
  readonly failed: boolean;
}

/** The facts that the hook at the end of a run sees. */
export interface EndView<TContext = unknown> extends HookFacts<TContext> {
  readonly termination: Ending;
}

/**
 * Code of one's own at fixed places of the loop. A hook that guards a call runs inside the step of that call, so its verdict
 * is in the journal with it and never asked again. One that throws fails the run with its error and its name;
 * only `onEnd` comes too late for that, and what it throws is in the journal alone.
 */
export interface AgentHooks {
  /** The name in endings; `hooks` unless given. */
  readonly name?: string;
  /** Asked once, before anything else. `transform` replaces the text of the user's latest message. */
  onPrompt?(view: PromptView): Answer<InjectDirective | TransformDirective<string> | HaltDirective | FinishDirective>;
  /** Before each iteration. */
  beforeIteration?(view: IterationView): Answer<InjectDirective | HaltDirective | FinishDirective>;
  /** Before each call of the model. */
  beforeModel?(view: IterationView): Answer<InjectDirective | HaltDirective | FinishDirective>;
  /** `transform` replaces the text of the answer. */
  afterModel?(
    view: ResponseView,
  ): Answer<InjectDirective | TransformDirective<string> | HaltDirective | FinishDirective>;
  /** `transform` replaces the input. */
  beforeTool?(view: ToolView): Answer<TransformDirective<JsonValue> | BlockDirective | HaltDirective | FinishDirective>;
  /** `transform` replaces the result. */
  afterTool?(view: ToolResultView): Answer<TransformDirective<JsonValue> | HaltDirective | FinishDirective>;
  /** `block` leaves the conversation as it is. */
  beforeCompaction?(view: CompactionView): Answer<BlockDirective | HaltDirective | FinishDirective>;
  /** After the conversation was made shorter. */
  afterCompaction?(view: CompactionView): Answer<InjectDirective | HaltDirective | FinishDirective>;
  /** After each iteration, when its results are in. */
  afterIteration?(view: IterationView): Answer<InjectDirective | HaltDirective | FinishDirective>;
  /** Notified once of the ending that the loop came to; its result is ignored. A cancelled run unwinds without it: `onEnding` is told of every ending. */
  onEnd?(view: EndView): void | PromiseLike<void>;
}
