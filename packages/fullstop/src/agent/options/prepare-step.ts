import type { LanguageModel } from '../../models/language-model.js';
import type { ModelMessage } from '../../models/message.js';
import type { ToolChoice } from '../../models/model-request.js';
import type { ObservedUsage } from '../../stop/observation.js';
import type { ToolCallRecord } from '../machine/state.js';
import type { CallSettings } from './model-settings.js';

/** The facts from which the next call of the model is prepared. */
export interface PrepareStepView {
  /** 1 for the first. */
  readonly iteration: number;
  /** Which call of a model it is in the whole run: an iteration may have several. 1 for the first. */
  readonly modelCall: number;
  /** The model of the agent. */
  readonly model: LanguageModel;
  /** The conversation, with the instructions in front. */
  readonly messages: readonly ModelMessage[];
  /** All calls so far, with their results. */
  readonly toolCalls: readonly ToolCallRecord[];
  /** The usage of the run so far. */
  readonly usage: ObservedUsage;
  /** Its cost so far; null when the price of something is not known. */
  readonly costUsd: number | null;
  /** True when some of the usage, and so of the cost, had to be guessed; absent otherwise. */
  readonly estimated?: boolean;
}

/** The differences of one call of the model. Whatever is left out is as the agent has it. */
export interface StepPreparation {
  /** Asked first; the fallback models follow. */
  readonly model?: LanguageModel;
  /** The only tools that the model is offered, and may call. */
  readonly activeTools?: readonly string[];
  readonly toolChoice?: ToolChoice;
  /** The system message of this call. */
  readonly instructions?: string;
  /** The conversation of this call. The run keeps its own; the instructions are put in front where they are left out. */
  readonly messages?: readonly ModelMessage[];
  /** On top of the agent's settings and those of the model. */
  readonly settings?: CallSettings;
}

/** Asked before each call of the model. Its answer is in the journal with that call, so that a replay never asks again. */
export type PrepareStep = (
  view: PrepareStepView,
) => StepPreparation | undefined | PromiseLike<StepPreparation | undefined>;
