import type { ProviderTurn } from '../../engines/port/provider-gate.js';
import type { Charge } from '../../engines/port/usage.js';
import { type CallModelOptions, startCall } from '../../models/calls/call-model.js';
import { readAnswer } from '../../models/calls/read-answer.js';
import { readUsage } from '../../models/calls/read-usage.js';
import type { KnownPrompts } from '../../models/calls/to-prompt.js';
import { type AbortableWork, awaitUnlessAborted, waitingOf } from '../../models/calls/until-aborted.js';
import { brokeOff, classifyModelError } from '../../models/errors/classify-model-error.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ModelMessage } from '../../models/message.js';
import type { ModelRequest } from '../../models/model-request.js';
import type { ModelDelta, ModelResponse } from '../../models/model-response.js';
import type { ModelPrices } from '../../run/accounts/prices.js';
import type { StepAttempt } from '../../run/run-context.js';
import { isObject } from '../../termination/json.js';
import type { ModelTime } from '../machine/in-flight.js';
import type { FailedCall } from '../machine/state.js';
import type { ModelRetry } from '../options/agent-options.js';
import { chargeCall } from './charge-call.js';
import { type Deadline, type LimitMemory, startLimit, type TimeLimit, timeUntil } from './model-limit.js';
import { type QuestionSettings, requestTo } from './question-settings.js';

/**
 * The parts that the calls of one execution use again. They belong to the execution: a map beside it, whose values lead to its keys, would keep
 * everything about a run that is over until a full collection.
 */
export interface CallMemory extends LimitMemory {
  readonly prompts: KnownPrompts;
}

/** A request to several models, of which the first answer counts. */
export interface ModelQuestion {
  readonly request: ModelRequest;
  /** The conversation in the request, before any secret in it was revealed. */
  readonly messages: readonly ModelMessage[];
  readonly step: StepAttempt;
  readonly memory: CallMemory;
  /** Asked in this order when the one before cannot answer. */
  readonly models: readonly LanguageModel[];
  readonly retry: Required<ModelRetry>;
  readonly prices: ModelPrices;
  /** For each attempt. */
  readonly time: ModelTime;
  /** For all of them together. */
  readonly deadline: Deadline | undefined;
  /** Settings that are not the same for every call and every model. */
  readonly settings: QuestionSettings | undefined;
  /** Notified of what comes in, if someone wants to know. */
  readonly listener: AttemptListener | undefined;
}

/** The outcome of all attempts together: the answer, or the last failure. */
export interface ModelReply {
  readonly response: ModelResponse | undefined;
  readonly failure: FailedCall | undefined;
  readonly model: LanguageModel;
  readonly attempts: number;
}

/** Hears what the attempts of a call say while they say it. */
export interface AttemptListener {
  onDelta(delta: ModelDelta, attempt: number): void;
  /** Everything that this attempt said is void. */
  onDiscarded(attempt: number): void;
}

/** Makes the outcome of the attempts from their reply. */
type FinishAttempts<TOutcome> = (
  reply: ModelReply,
  attempts: ModelAttempts<TOutcome>,
) => TOutcome | PromiseLike<TOutcome>;

/**
 * The attempts at one question: the first model, again where that may help, and then its fallbacks. An answer is read in the callback
 * of its call, because every promise in between would cost a call as much as all its bookkeeping.
 */
export class ModelAttempts<TOutcome> implements AbortableWork<unknown> {
  /** The cost of the attempts that were begun and cut off: the provider charges for them, whatever it reports. */
  cut: Charge[] | undefined;
  readonly question: ModelQuestion;
  /** The cap of the latest attempt. */
  cap: number | undefined;
  readonly #finish: FinishAttempts<TOutcome>;
  #attempts = 0;
  /** Which of the models is asked, and how often it was asked before. A field: a private getter is a call into the runtime. */
  #model: LanguageModel;
  #place = 0;
  #failures = 0;
  /** The pieces of the answer that the attempt at hand has heard. */
  #heard = '';
  #limit: TimeLimit | undefined;
  #turn: ProviderTurn | undefined;
  #resolve: ((outcome: TOutcome | PromiseLike<TOutcome>) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  /** `finish` makes the outcome as soon as there is nothing more to try. */
  constructor(question: ModelQuestion, finish: FinishAttempts<TOutcome>) {
    this.question = question;
    this.#model = question.models[0] as LanguageModel;
    this.#finish = finish;
  }

  /** Asks until there is a reply. Rejects only when the run is cancelled, when the store that gives the turns fails, or with what `finish` throws. */
  ask(): Promise<TOutcome> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#attempt();
    });
  }

  /** Begins an attempt, once it is its turn where calls of the provider are limited. */
  #attempt(): void {
    const { step } = this.question;
    const turn = step.providers?.enter(this.#model.provider, step.signal);
    if (turn === undefined) {
      this.#attemptNow();
      return;
    }
    turn.then(
      (given) => {
        this.#turn = given;
        this.#attemptNow();
      },
      (error: unknown) => this.#reject?.(error),
    );
  }

  /** Ends the turn. A provider that asked for a pause is left alone by all. */
  #leave(failure?: FailedCall): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (failure?.type === 'rate_limit') turn?.leave(failure.retryAfterMs ?? usualPauseMs);
    else turn?.leave();
  }

  #attemptNow(): void {
    const { step } = this.question;
    const limit = startLimit(this.question);
    this.#limit = limit;
    this.#attempts += 1;
    this.#heard = '';
    try {
      awaitUnlessAborted(this, limit?.waiting ?? waitingOf(step.signal));
    } catch (error) {
      this.onError(error);
    }
  }

  begin(): PromiseLike<unknown> {
    const { settings, step, listener, memory } = this.question;
    const request = settings === undefined ? this.question.request : requestTo(this.question, settings, this.#model);
    this.cap = request.maxOutputTokens;
    const options = { signal: this.#limit?.signal ?? step.signal, prompts: memory.prompts };
    return startCall(this.#model, request, listener === undefined ? options : this.#streaming(options, listener));
  }

  /** The options of an attempt that is heard while it speaks. */
  #streaming(options: CallModelOptions, listener: AttemptListener): CallModelOptions {
    const attempt = this.#attempts;
    const limit = this.#limit;
    const onDelta = (delta: ModelDelta): void => {
      // An attempt that was given up may still speak.
      if (attempt === this.#attempts) this.#heard += delta.text;
      listener.onDelta(delta, attempt);
    };
    return { ...options, onDelta, onPart: limit && ((): void => limit.hear()) };
  }

  /** Within the abort: a unit that ends takes in what its steps report at once, and nothing later. */
  onAbort(reason: unknown): void {
    this.#chargeCut(this.#heardAnswer());
    void Promise.resolve().then(() => this.#fail(reason));
  }

  /** Reads an answer. One that the model broke off has failed, and so has one that cannot be read. */
  onValue(answer: unknown): void {
    let response: ModelResponse;
    try {
      response = readAnswer(answer);
    } catch (error) {
      // It was made all the same, where the provider says what it used.
      const usage = isObject(answer) ? readUsage(answer['usage']) : undefined;
      if (usage !== undefined) this.#chargeCut({ ...unread, usage });
      this.#fail(error);
      return;
    }
    if (response.finish === 'error' || response.finish === 'interrupted') {
      this.#chargeCut(response);
      this.question.listener?.onDiscarded(this.#attempts);
      this.#continueAfter(unfinishedFailure(this.#model, response));
      return;
    }
    this.#limit?.stop();
    this.#leave();
    this.#end({ response, failure: undefined, model: this.#model, attempts: this.#attempts });
  }

  /** An attempt that breaks off in its answer is charged; one that fails before anything arrives is free. */
  onError(error: unknown): void {
    const isCut = this.#heard !== '' || brokeOff(error);
    if (isCut && !this.question.step.signal.aborted) this.#chargeCut(this.#heardAnswer());
    this.#fail(error);
  }

  /** Decides about another attempt. */
  #fail(error: unknown): void {
    const { step, listener } = this.question;
    const limit = this.#limit;
    const isExpired = limit?.isExpired() === true;
    listener?.onDiscarded(this.#attempts);
    // A cancelled call has no outcome: the step is performed again when the run is resumed.
    if (step.signal.aborted) {
      limit?.stop();
      this.#leave();
      this.#reject?.(error);
      return;
    }
    const failure = classifyModelError(error, {
      provider: this.#model.provider,
      // Not aborted here: an AbortError that the provider's client raised itself is a failed attempt.
      signal: step.signal,
      now: step.clock.now(),
    });
    this.#continueAfter(isExpired ? { ...failure, type: 'unavailable', retryable: true, ...limit?.whose() } : failure);
  }

  /** The same model once more after a while, else the next one, else the failure is the reply. */
  #continueAfter(failure: FailedCall): void {
    const question = this.question;
    this.#limit?.stop();
    this.#leave(failure);
    this.#failures += 1;
    const isOver = failure.scope !== undefined;
    const delay = isOver ? undefined : delayAfter(failure, this.#failures, question);
    if (delay !== undefined) {
      pass(delay, question.step).then(() => this.#attempt(), this.#reject);
      return;
    }
    if (isOver || this.#place === question.models.length - 1) {
      this.#end({ response: undefined, failure, model: this.#model, attempts: this.#attempts });
      return;
    }
    this.#place += 1;
    this.#model = question.models[this.#place] as LanguageModel;
    this.#failures = 0;
    this.#attempt();
  }

  #end(reply: ModelReply): void {
    try {
      this.#resolve?.(this.#finish(reply, this));
    } catch (error) {
      this.#reject?.(error);
    }
  }

  /** The part of an answer that has arrived, as far as it can be counted. */
  #heardAnswer(): ModelResponse | undefined {
    const text = this.#heard;
    return text === '' ? undefined : { ...unread, text, content: [{ type: 'text', text }] };
  }

  #chargeCut(response: ModelResponse | undefined): void {
    this.cut ??= [];
    this.cut.push(chargeCall(this.question, this.#model, response));
  }
}

/** An answer of which nothing could be read. */
const unread: ModelResponse = { text: '', toolCalls: [], finish: 'interrupted', content: [] };

/** How long to leave a provider alone that does not say how long. */
const usualPauseMs = 1000;

function unfinishedFailure({ provider }: LanguageModel, { finish, rawFinish }: ModelResponse): FailedCall {
  const message = `The model broke off its answer (${rawFinish ?? finish}).`;
  return {
    type: 'unavailable',
    provider,
    retryable: true,
    error: { name: 'ModelCallError', message, code: 'ANSWER_UNFINISHED' },
  };
}

/** How long to wait before the same model is asked again; undefined when that is of no use. */
function delayAfter(
  { retryable, retryAfterMs, timedOutAfterMs }: FailedCall,
  failures: number,
  { retry, deadline, step }: ModelQuestion,
): number | undefined {
  if (failures >= retry.attempts || !retryable) return undefined;
  if (!retry.on.includes(timedOutAfterMs === undefined ? 'error' : 'timeout')) return undefined;
  if (retryAfterMs !== undefined && retryAfterMs > retry.maximumDelayMs) return undefined;
  const full = Math.min(retry.initialDelayMs * 2 ** (failures - 1), retry.maximumDelayMs);
  // Half of the delay is chance, so that many runs that failed together do not come back together.
  const delay = retryAfterMs ?? full * (0.5 + Math.random() / 2);
  // A wait that outlasts the time that is left helps nobody.
  return delay < timeUntil(deadline, step) ? delay : undefined;
}

function pass(milliseconds: number, { clock, signal }: StepAttempt): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = clock.callAt(clock.now() + milliseconds, () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
    const giveUp = (): void => {
      stop();
      reject(signal.reason);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
