import type { Ending } from '../termination/ending.js';
import type { ErrorData } from '../termination/errors/error-data.js';
import type { JsonObject, JsonValue } from '../termination/json.js';
import type { Mistake } from '../termination/kinds/detector.js';

/** The moments at which an agent loop weighs whether to stop. Causes compete only inside one of them. */
export type EvaluationPoint = 'before_call' | 'after_response' | 'after_tools' | 'after_iteration' | 'end';

/**
 * The entry that an agent loop journals at an evaluation point: everything that stop conditions may read, as plain JSON.
 * All counters are totals of the run and count what is finished.
 */
export interface LoopObservation {
  readonly point: EvaluationPoint;
  /** Finished iterations: the one at hand is among them from `after_iteration` on. */
  readonly iterations: number;
  /** Finished rounds. A round is finished when all its calls have results, or when the response asked for none. */
  readonly rounds: number;
  /** Calls that have a result, failed ones included. */
  readonly toolCalls: number;
  readonly usage: ObservedUsage;
  /** Null when the price of a call is unknown: unknown is not 0. */
  readonly costUsd: number | null;
  /** True when some of the usage, and so of the cost, had to be guessed; absent otherwise. */
  readonly estimated?: boolean;
  /** Active time in milliseconds, without human waits and downtime. */
  readonly activeMs: number;
  /** Active time of the iteration under way, or of the one that just finished. */
  readonly iterationMs?: number;
  /** All tokens of the iteration that just finished; present at `after_iteration` only. */
  readonly iterationTokens?: number;
  /** The text of the latest response; present at `after_response` only. */
  readonly text?: ObservedText;
  /** The calls of the round that just finished, in the model's order; present at the point that finishes a round only, so that none is counted twice. */
  readonly calls?: readonly ObservedCall[];
  /** A mistake of the model's that is in no call: an answer that is none. Present at `after_response` only. */
  readonly mistake?: Mistake;
  /** The model's finish reason for the latest response. */
  readonly finish?: string;
  /** Hard limits from outside the conditions, such as what an ancestor has left, as totals of this run. */
  readonly budgets?: HardLimits;
  /** Present where a finalization iteration has ended: whether it produced a final text. */
  readonly finalization?: { readonly answered: boolean };
  /** The verdicts of custom conditions at this point, by name; those without one are left out. */
  readonly verdicts?: Readonly<Record<string, Ending>>;
  /** The custom conditions whose verdicts forbid or hold the result, by name: these stand over a goal of the same point. */
  readonly forbidding?: readonly string[];
  /** The state of the conditions after this point; present where the run ends, so that whoever resumes it need not fold its whole past. */
  readonly states?: ConditionStates;
}

/**
 * The states of a run's conditions, as plain JSON: the names of conditions, and in the same order what each remembers. In
 * lists, because they are copied whenever one changes, and records with many names are slow to copy. A run starts with `{}`.
 */
export interface ConditionStates {
  readonly names?: readonly string[];
  readonly values?: readonly JsonValue[];
}

/** The tokens and the cost of a run so far, as stop conditions see them. */
export interface ObservedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/** A text by its fingerprint; its characters only where a condition reads them. */
export interface ObservedText {
  /** The fingerprint of the text without white space around it; empty for a blank text. */
  readonly key: string;
  /** In characters. */
  readonly length: number;
  /** The whole text, or its last 10,000 characters. */
  readonly content?: string;
}

/** A call with its result. */
export type ObservedCall = SucceededCall | FailedCall;

/** A call of a tool that succeeded, as stop conditions see it. */
export interface SucceededCall extends CallKeys {
  readonly ok: true;
}

/** A call of a tool that failed, as stop conditions see it. */
export interface FailedCall extends CallKeys {
  readonly ok: false;
  readonly error: ErrorData;
  /** Absent when the model is not to blame. */
  readonly mistake?: Mistake['problem'];
}

/** A call of a tool with the keys by which repeats are recognised. */
export interface CallKeys {
  readonly tool: string;
  /** The arguments themselves, where they are small: evidence for people. */
  readonly input?: JsonValue;
  /** The fingerprint of the arguments, whatever the order of their keys. */
  readonly inputKey: string;
  /** The result as the model sees it where it is small, else its beginning as text: evidence for people. */
  readonly result?: JsonValue;
  /** The fingerprint of the result as the model sees it. */
  readonly resultKey: string;
}

/** The budgets that end a run at once when they are used up. */
export interface HardLimits {
  readonly timeMs?: number;
  readonly costUsd?: number;
  readonly tokens?: number;
}

/** The view of a custom condition: the observation, and facts that are journalled elsewhere. */
export interface LoopView extends LoopObservation {
  /** The whole text of the latest response. */
  readonly answer: string;
  readonly messages: readonly JsonObject[];
}
