import type { ReceivedAnswer, RunRequest } from '../../engines/port/request.js';
import type { Charge } from '../../engines/port/usage.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { Mistake } from '../../termination/kinds/detector.js';

/** A tool call of a foreign run that has a result. */
export interface ForeignCall {
  readonly tool: string;
  readonly input: JsonValue;
  /** For a failed call the text of its error. */
  readonly result: JsonValue;
  readonly error?: ErrorData;
  /** Set where the model is to blame: it named no tool of the run, or gave arguments that do not fit. */
  readonly mistake?: Mistake['problem'];
}

/** The tokens of one model call, as far as the framework says. */
export interface ForeignUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

/** One model call of a foreign run with the results of its tool calls. */
export interface ForeignStep {
  /** `provider/model`, or the model alone; empty where the framework does not say. */
  readonly model: string;
  readonly text: string;
  /** The framework's word for why the model stopped. */
  readonly finish?: string | undefined;
  readonly usage?: ForeignUsage | undefined;
  /** The cost, where the framework knows it itself. */
  readonly costUsd?: number | undefined;
  readonly calls: readonly ForeignCall[];
  /** The messages that the step added to the conversation. */
  readonly messages: readonly JsonValue[];
}

/** A cause of an ending that the framework brings, and the evaluation point it belongs to. */
export interface ForeignCause extends Cause {
  readonly point: 'after_response' | 'after_tools' | 'after_iteration';
}

/** The step as the journal has it, with its price and what was weighed there. */
export interface JournalledStep extends Omit<ForeignStep, 'usage' | 'costUsd'> {
  readonly charge: Charge;
}

/** The verdicts of custom conditions after a step, as they are journalled. */
export interface ForeignVerdicts {
  readonly verdicts?: Readonly<Record<string, Ending>>;
  readonly forbidding?: readonly string[];
  /** Set when a condition threw. */
  readonly error?: ErrorData;
}

/** The content of a turn of a foreign run, as the journal has it. */
export type ForeignEvent =
  | {
      readonly type: 'step';
      readonly step: JournalledStep;
      readonly causes: readonly ForeignCause[];
      readonly judged?: ForeignVerdicts;
    }
  /** The call is over: it returned, threw or was given up. */
  | {
      readonly type: 'settled';
      readonly causes: readonly Cause[];
      readonly output?: JsonValue;
      readonly place?: JsonValue;
      /** Why the framework cannot continue from there. */
      readonly notResumable?: string;
      /** True when the framework did not come to an end in time after it was told to stop. */
      readonly stuck?: boolean;
    }
  /** The call is over until people answer. */
  | { readonly type: 'waiting'; readonly requests: readonly RunRequest[]; readonly place?: JsonValue }
  /** A limit of time was reached while the framework was at work. */
  | { readonly type: 'expired'; readonly limitMs: number; readonly scope: 'run' | 'iteration' };

/** Where a foreign run continues. */
export interface ForeignContinuation {
  /** All messages that its steps have added. */
  readonly messages: readonly JsonValue[];
  /** The framework's own words for the place: a serialised state, a thread, a session. */
  readonly place: JsonValue | undefined;
  readonly answers: readonly ReceivedAnswer[];
  /** The requests that were answered. */
  readonly requests: readonly RunRequest[];
}
