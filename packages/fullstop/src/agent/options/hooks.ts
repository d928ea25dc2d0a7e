import type { ModelMessage } from '../../models/message.js';
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

export interface IterationView {
  /** 1 for the first. */
  readonly iteration: number;
  readonly messages: readonly ModelMessage[];
}

export interface PromptView {
  /** The text of the user's latest message. */
  readonly prompt: string;
  readonly messages: readonly ModelMessage[];
}

export interface CompactionView extends IterationView {
  /** How many messages there were before. */
  readonly before: number;
}

export interface ResponseView extends IterationView {
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly tool: string; readonly input: JsonValue }[];
}

export interface ToolView {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: JsonValue;
}

export interface ToolResultView extends ToolView {
  readonly result: JsonValue;
  readonly failed: boolean;
}

/**
 * Code of one's own at fixed places of the loop. A hook that guards a call runs inside the step of that call, so its verdict
 * is in the journal with it and never asked again. One that throws halts the run with its name.
 */
export interface AgentHooks {
  /** The name in endings; `hooks` unless given. */
  readonly name?: string;
  /** Asked once, before anything else. `transform` replaces the text of the user's latest message. */
  onPrompt?(view: PromptView): Answer<InjectDirective | TransformDirective<string> | HaltDirective | FinishDirective>;
  beforeIteration?(view: IterationView): Answer<InjectDirective | HaltDirective | FinishDirective>;
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
  afterCompaction?(view: CompactionView): Answer<InjectDirective | HaltDirective | FinishDirective>;
  afterIteration?(view: IterationView): Answer<InjectDirective | HaltDirective | FinishDirective>;
  /** Notified of the ending, once; its result is ignored. */
  onEnd?(view: { readonly termination: Ending }): void | PromiseLike<void>;
}
