import type { Charge } from '../../engines/port/usage.js';
import type { AnswerStatus } from '../../models/answer-status.js';
import type { ModelFailure } from '../../models/errors/classify-model-error.js';
import type { FilePart, ModelMessage, ToolOutput } from '../../models/message.js';
import type { ToolChoice } from '../../models/model-request.js';
import type { ModelResponse, ModelSource } from '../../models/model-response.js';
import type { Log } from '../../run/log.js';
import type { UnitResult } from '../../run/run-context.js';
import type { ConditionPressure } from '../../stop/condition.js';
import type { ConditionStates, LoopObservation, ObservedUsage } from '../../stop/observation.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { Mistake } from '../../termination/kinds/detector.js';
import type { Violation } from '../../termination/kinds/validation.js';
import type { Phase } from './phases.js';

/** Everything the loop knows, as plain JSON. Whatever is not in it is asked of nobody when the loop decides. */
export interface AgentState {
  readonly phase: Phase;
  /** How many later segments were opened. */
  readonly resumed: number;
  readonly messages: Log<ModelMessage>;
  readonly iterations: Log<IterationRecord>;
  readonly toolCalls: Log<ToolCallRecord>;
  readonly children: Log<ChildRecord>;
  readonly observations: Log<LoopObservation>;
  readonly counts: Counts;
  readonly usage: ObservedUsage;
  /** Null as soon as something was used whose price is not known. */
  readonly costUsd: number | null;
  /** True as soon as some of the usage was guessed. */
  readonly estimated: boolean;
  readonly time: TimeSoFar;
  /** The text of the latest answer. */
  readonly text: string;
  readonly finish: string;
  /** The provider's own word for it; empty where it is not known. */
  readonly rawFinish: string;
  readonly status: AnswerStatus | null;
  /** How many answers in a row, the latest included, were none: no text and no call. */
  readonly silences: number;
  /** The calls of the answer at hand; empty when it asked for none. */
  readonly round: readonly Call[];
  readonly conditions: ConditionStates;
  /** The budget because of which this is the last iteration. */
  readonly wrapUp: ConditionPressure | null;
  /** Texts that the loop has to say to the model before the next call. */
  readonly unsaid: readonly string[];
  /** The size of the latest prompt. */
  readonly promptTokens: number;
  /** The iteration in which the conversation was last compacted because it did not fit; 0 when it always did. */
  readonly compactedAt: number;
  readonly repairs: number;
  /** The rounds of the iteration at hand that are finished. */
  readonly roundsOfIteration: number;
  /** The cap of answers, where it was raised. */
  readonly outputCap: number | null;
  /** The ending of the answer because of which the cap was raised in this iteration. */
  readonly starved: Ending | null;
  /** How often a person was asked under an id: providers use the same one twice. */
  readonly asked: Readonly<Record<string, number>>;
  /** Where the final answer at hand does not fit the schema. */
  readonly violations: readonly Violation[];
  /** The goal that the hook after the model has reached with the answer at hand, while custom conditions are asked about it. */
  readonly finished: JournalledDirective | null;
  readonly output: JsonValue | null;
  readonly hasOutput: boolean;
  /** True when a verdict forbids or holds the latest answer. */
  readonly withheld: boolean;
  /** The limit that has stopped the round at hand, after a goal was reached with it. */
  readonly limit: Ending | null;
  readonly ending: Ending | null;
  readonly also: readonly Ending[];
  /** True when another agent took the conversation over and ended the run. */
  readonly takenOver: boolean;
  /** True when the hook onEnd was notified. */
  readonly endNotified: boolean;
}

/**
 * The state while it is worked on: applying an observation copies the state once and changes the copy, because a copy at every
 * turn would be most of the cost of an iteration. The phase is changed by `enterPhase` only.
 */
export type Draft = { -readonly [K in Exclude<keyof AgentState, 'phase'>]: AgentState[K] } & Pick<AgentState, 'phase'>;

export interface Counts {
  readonly iterations: number;
  readonly rounds: number;
  readonly toolCalls: number;
  /** Calls of the model, for the keys of steps. */
  readonly modelCalls: number;
  /** Questions to the user's code, for the keys of records. */
  readonly judgements: number;
}

export interface TimeSoFar {
  /** Without waits for people and without the times between segments. */
  readonly activeMs: number;
  readonly lastAt: number;
  /** Where the iteration at hand began. */
  readonly iterationMs: number;
  readonly iterationTokens: number;
}

/** A call of the model's on its way to a result. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonValue;
  /** `cleared`: nobody has to be asked; `called`: its result is to come from outside; `received`: that result has come. */
  readonly stage: 'ready' | 'asking' | 'approved' | 'cleared' | 'called' | 'received' | 'done';
  /** True for a call that hands the conversation over. */
  readonly handsOff?: true;
  /** Under which a person is asked. */
  readonly requestId?: string;
  /** True when a person agreed to other arguments than those that were judged before. */
  readonly edited?: boolean;
  /** The JSON Schema of a result that comes from outside, if it has one. */
  readonly resultSchema?: JsonObject;
  /** True once whoever performs it outside was asked for its result. */
  readonly asked?: true;
  /** The ending of an agent that was stopped before it had a result. */
  readonly cut?: UnitResult;
  /** Not checked yet while the call is `received`. */
  readonly outcome: ToolOutcome | null;
}

/** The outcome of a call, from its step or from the loop itself. */
export interface ToolOutcome {
  /** The result as the model sees it. */
  readonly output: ToolOutput;
  readonly error?: ErrorData;
  readonly mistake?: Mistake['problem'];
  /** The input that was used, where it is not the model's own. */
  readonly input?: JsonValue;
  readonly directive?: JournalledDirective;
  readonly child?: ChildRecord;
}

/** An instruction of a hook or tool to the loop, as it is in the journal. */
export type JournalledDirective =
  | { readonly type: 'halt'; readonly by: 'hook' | 'tool'; readonly name: string; readonly reason: string }
  /**
   * A hook threw: like a halt, so that a guard never lets anything pass by mistake, but with its error. `stops` is absent in journals
   * of earlier versions, in which the calls after it were made.
   */
  | { readonly type: 'fail'; readonly hook: string; readonly error: ErrorData; readonly stops?: true }
  | { readonly type: 'submit'; readonly tool: string; readonly value?: JsonValue }
  | { readonly type: 'finish'; readonly plugin: string; readonly reason?: string };

/** The value of a model step. */
export interface ModelOutcome {
  readonly response?: ModelResponse;
  readonly failure?: FailedCall;
  readonly attempts: number;
  readonly charge?: Charge;
  /** The model that was asked last, after its provider: `openai.responses/gpt-5`. Absent where a hook ended the call. */
  readonly model?: string;
  /** Its provider, by the name that the provider has in the AI SDK. */
  readonly provider?: string;
  /** The usage of attempts that were cut off, estimated where the provider does not report it. */
  readonly cut?: readonly Charge[];
  /** Texts that hooks added to the conversation before the call. */
  readonly injected?: readonly string[];
  /** The text that the hook after the answer adds before the next call. */
  readonly said?: string;
  readonly directive?: JournalledDirective;
  readonly output?: CheckedOutput;
  /** The answer of `prepareStep`. */
  readonly prepared?: JournalledStep;
  /** The cap of the answer, where settings for this call or this model say one. */
  readonly cap?: number;
  /** The ending by a budget around the agent that cut the answer: it left less than the agent's own cap, and the answer used all of it. */
  readonly cutBy?: Ending;
  /** The calls that could not be made as the model wrote them, and what `repairToolCall` made of them. */
  readonly repaired?: readonly JournalledRepair[];
}

/** The differences of one call of the model, as they are in the journal: models by name, headers without their values. */
export interface JournalledStep {
  readonly model?: string;
  /** The tools that the model was offered, where not all of them. */
  readonly tools?: readonly string[];
  readonly toolChoice?: ToolChoice;
  readonly instructions?: string;
  /** The conversation of the call: parts of the run's own by their places, everything else as it is. */
  readonly messages?: readonly (ModelMessage | { readonly from: number; readonly to: number })[];
  readonly settings?: JsonObject;
}

/** A call that could not be made: as the model wrote it, and whether it was repaired. */
export interface JournalledRepair {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonValue;
  /** The model's own text, where its arguments were not JSON. */
  readonly inputText?: string;
  readonly problem: 'unknown_tool' | 'bad_arguments';
  readonly repaired: boolean;
  /** The reason why its repair was of no use. */
  readonly error?: ErrorData;
}

/** The reason why no model answered. */
export interface FailedCall extends ModelFailure {
  /** The limit of time that cut the last attempt. */
  readonly timedOutAfterMs?: number;
  /** Whose limit it was; that of the model's calls unless given. */
  readonly scope?: 'run' | 'iteration';
}

/** A final answer, checked against the schema of the output; without a value where the schema makes nothing of it. */
export type CheckedOutput =
  | { readonly ok: true; readonly value?: JsonValue }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** The value of a compaction step. */
export interface CompactionOutcome {
  readonly messages?: readonly ModelMessage[];
  readonly failed?: { readonly stage: string; readonly error: ErrorData };
  /** The call of a model that made it fail: then the provider is the reason, and no strategy. */
  readonly failure?: FailedCall;
  /** How often that was tried. */
  readonly attempts?: number;
  readonly directive?: JournalledDirective;
  readonly injected?: string;
  /** The usage of the models that the strategies asked. */
  readonly charge?: Charge;
}

/** The answers of the user's code at one point. */
export interface Judgement {
  readonly goal?: boolean;
  readonly verdicts?: Readonly<Record<string, Ending>>;
  /** The conditions among these whose verdicts forbid or hold the result. */
  readonly forbidding?: readonly string[];
  readonly directive?: JournalledDirective;
  readonly injected?: string;
  /** The prompt to continue with. */
  readonly prompt?: string;
  /** The error that it threw instead. */
  readonly error?: ErrorData;
}

/** One iteration: an answer of the model, or all of them together where an iteration has several rounds. */
export interface IterationRecord {
  /** 1 for the first. */
  readonly iteration: number;
  readonly text: string;
  readonly finish: string;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly attempts: number;
  /** How often the model answered; 1 unless given. */
  readonly answers?: number;
  readonly modelId?: string;
  /** The differences that `prepareStep` chose for the call. */
  readonly prepared?: JournalledStep;
  /** The calls that could not be made as the model wrote them. */
  readonly repaired?: readonly JournalledRepair[];
  /** The pages and documents that the provider names as the origin of the answer. */
  readonly sources?: readonly ModelSource[];
  /** The files that the model made, such as pictures. */
  readonly files?: readonly FilePart[];
}

/** One tool call with its result. */
export interface ToolCallRecord {
  readonly id: string;
  readonly iteration: number;
  readonly tool: string;
  /** The input of the tool: the model's arguments, unless a hook or a person changed them. */
  readonly input: JsonValue;
  readonly output: ToolOutput;
  readonly error?: ErrorData;
}

/** The ending of an agent inside this one. */
export interface ChildRecord extends UnitResult {
  readonly name: string;
  readonly toolCallId: string;
  /** The text of its latest answer. */
  readonly text: string;
  /** Its usage, if it got far enough to have one; the run's own usage includes it. */
  readonly usage?: ObservedUsage;
  readonly costUsd?: number | null;
  /** True when some of its usage was guessed. */
  readonly estimated?: boolean;
  /** Set when it took the conversation over: then its ending is that of the run. */
  readonly tookOver?: true;
  /** The endings of agents inside it. */
  readonly children?: readonly ChildRecord[];
}

/** A call that passed the checks before it. */
export interface CheckedCall {
  readonly next: 'asking' | 'cleared' | 'called';
  readonly input: JsonValue;
  readonly resultSchema?: JsonObject;
}

/** Said to the model when a run is resumed whose last message is the model's own: the next one may not be. */
export const continueText = 'Continue.';
