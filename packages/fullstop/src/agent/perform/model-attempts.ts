import type { AbortSignalLike } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import { beginCall } from '../../models/calls/call-model.js';
import { readAnswer } from '../../models/calls/read-answer.js';
import { type Settling, settleUnlessAborted } from '../../models/calls/until-aborted.js';
import { classifyModelError } from '../../models/errors/classify-model-error.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ModelRequest } from '../../models/model-request.js';
import type { ModelDelta, ModelResponse } from '../../models/model-response.js';
import type { StepAttempt } from '../../run/run-context.js';
import type { TimeLeft } from '../machine/in-flight.js';
import type { FailedCall } from '../machine/state.js';
import type { ModelRetry } from '../options/agent-options.js';

/** What came of all attempts together. */
export type Attempted = Answered | Failed;

export interface Answered {
  readonly response: ModelResponse;
  readonly failure?: never;
  readonly model: LanguageModel;
  readonly attempts: number;
}

export interface Failed {
  readonly response?: never;
  readonly failure: FailedCall;
  readonly model: LanguageModel;
  readonly attempts: number;
}

/** What is asked of which models, and what becomes of it. */
export interface Asking<TResult> {
  readonly request: ModelRequest;
  readonly step: StepAttempt;
  readonly models: readonly LanguageModel[];
  readonly retry: Required<ModelRetry>;
  /** For each attempt. */
  readonly timeoutMs: number | undefined;
  /** For all of them together. */
  readonly deadline: Deadline | undefined;
  /** Told of what comes in, if someone wants to know. */
  readonly listener: AttemptListener | undefined;
  readonly booking: Booking<TResult>;
}

export interface Booking<TResult> {
  /** Told of each attempt that was begun and broken off: the provider charges for it, whatever it says. */
  onCut(model: LanguageModel, response?: ModelResponse): void;
  /** Makes the result of what came of all attempts. */
  finish(asked: Attempted): TResult;
}

/** Hears what the attempts of a call say while they say it. */
export interface AttemptListener {
  onDelta(delta: ModelDelta, attempt: number): void;
  /** What this attempt said is void. */
  onDiscarded(attempt: number): void;
}

interface Deadline extends TimeLeft {
  readonly at: number;
}

/** When the time that is left will be over. */
export function deadlineOf(left: TimeLeft | undefined, { clock }: StepAttempt): Deadline | undefined {
  return left === undefined ? undefined : { ...left, at: clock.now() + left.ms };
}

/** Asks the model, again where that may help, and then the models that stand in for it. */
export function askModels<TResult>(asking: Asking<TResult>): Promise<TResult> {
  return askOnce(asking.models[0] as LanguageModel, asking, { attempts: 1, goOn: goOnAfterFirst });
}

/** Most calls are answered at once, and need none of the loops. */
function goOnAfterFirst<TResult>(first: Attempted, asking: Asking<TResult>): TResult | Promise<TResult> {
  const { booking } = asking;
  if (first.response !== undefined) return booking.finish(first);
  return askOn(first, asking).then((asked) => booking.finish(asked));
}

/** Goes on after the first failure. */
async function askOn(first: Failed, asking: Asking<unknown>): Promise<Attempted> {
  let last: Attempted = first;
  for (const [index, model] of asking.models.entries()) {
    if (index > 0) last = await askOnce(model, asking, { attempts: last.attempts + 1, goOn: asIs });
    last = last.response === undefined ? await askAgain(last, asking) : last;
    if (last.response !== undefined || last.failure.scope !== undefined) break;
  }
  return last;
}

/** Asks a model that has failed once more, until that is of no use. */
async function askAgain(first: Failed, asking: Asking<unknown>): Promise<Attempted> {
  const { retry, step, deadline } = asking;
  let last: Attempted = first;
  for (let own = 1; own < retry.attempts && last.failure?.scope === undefined; own += 1) {
    const delay = last.failure === undefined ? undefined : delayBefore(last.failure, own, retry);
    // A wait that outlasts the time that is left helps nobody.
    if (delay === undefined || delay >= timeUntil(deadline, step)) break;
    await pass(delay, step);
    last = await askOnce(first.model, asking, { attempts: last.attempts + 1, goOn: asIs });
  }
  return last;
}

function timeUntil(deadline: Deadline | undefined, { clock }: StepAttempt): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : deadline.at - clock.now();
}

interface Once<TSettled, TResult> {
  /** The number of this attempt. */
  readonly attempts: number;
  goOn(asked: Attempted, asking: Asking<TResult>): TSettled | Promise<TSettled>;
}

function askOnce<TSettled, TResult>(
  model: LanguageModel,
  asking: Asking<TResult>,
  once: Once<TSettled, TResult>,
): Promise<TSettled> {
  const { request, step, listener } = asking;
  const limit = limitOf(asking);
  const signal = limit?.signal ?? step.signal;
  const { attempts } = once;
  const onDelta = listener && ((delta: ModelDelta): void => listener.onDelta(delta, attempts));
  const call = beginCall(model, request, { signal, onDelta });
  return settleUnlessAborted(call, signal, new ModelAttempt(model, asking, once, limit));
}

/** One attempt under way. A class, because every call makes one: functions of its own would take several times the memory. */
class ModelAttempt<TSettled, TResult> implements Settling<unknown, TSettled> {
  readonly #model: LanguageModel;
  readonly #asking: Asking<TResult>;
  readonly #once: Once<TSettled, TResult>;
  readonly #limit: TimeLimit | undefined;

  constructor(
    model: LanguageModel,
    asking: Asking<TResult>,
    once: Once<TSettled, TResult>,
    limit: TimeLimit | undefined,
  ) {
    this.#model = model;
    this.#asking = asking;
    this.#once = once;
    this.#limit = limit;
  }

  done(answer: unknown): TSettled | Promise<TSettled> {
    const response = readAnswer(answer);
    this.#limit?.stop();
    const model = this.#model;
    const asking = this.#asking;
    const { attempts, goOn } = this.#once;
    const unfinished = response.finish === 'error' || response.finish === 'interrupted';
    if (!unfinished) return goOn({ response, model, attempts }, asking);
    asking.booking.onCut(model, response);
    asking.listener?.onDiscarded(attempts);
    return goOn({ failure: unfinishedFailure(model, response), model, attempts }, asking);
  }

  failed(error: unknown): TSettled | Promise<TSettled> {
    const limit = this.#limit;
    const model = this.#model;
    const asking = this.#asking;
    const { attempts, goOn } = this.#once;
    const { step, listener, booking } = asking;
    limit?.stop();
    listener?.onDiscarded(attempts);
    if (step.signal.aborted || limit?.expired() === true) booking.onCut(model);
    // A cancelled call has no outcome: the step is performed again when the run goes on.
    if (step.signal.aborted) throw error;
    const failure = classifyModelError(error, { provider: model.provider, now: step.clock.now() });
    if (limit?.expired() !== true) return goOn({ failure, model, attempts }, asking);
    const cut: FailedCall = { ...failure, type: 'unavailable', retryable: true, ...limit.whose };
    return goOn({ failure: cut, model, attempts }, asking);
  }
}

const asIs = (asked: Attempted): Attempted => asked;

function unfinishedFailure({ provider }: LanguageModel, { finish, rawFinish }: ModelResponse): FailedCall {
  const message = `The model broke off its answer (${rawFinish ?? finish}).`;
  return {
    type: 'unavailable',
    provider,
    retryable: true,
    error: { name: 'ModelCallError', message, code: 'ANSWER_UNFINISHED' },
  };
}

interface TimeLimit {
  readonly signal: AbortSignalLike;
  readonly whose: Pick<FailedCall, 'timedOutAfterMs' | 'scope'>;
  expired(): boolean;
  stop(): void;
}

/** The tighter one of the limits of an attempt and of all of them. */
function limitOf({ step, timeoutMs, deadline }: Asking<unknown>): TimeLimit | undefined {
  const own = timeoutMs ?? Number.POSITIVE_INFINITY;
  const left = timeUntil(deadline, step);
  if (deadline !== undefined && left <= own) {
    const { limitMs, scope } = deadline;
    return { ...limitTime(step, Math.max(1, left)), whose: { timedOutAfterMs: limitMs, scope } };
  }
  if (timeoutMs === undefined) return undefined;
  return { ...limitTime(step, timeoutMs), whose: { timedOutAfterMs: timeoutMs } };
}

function limitTime({ signal: outer, clock }: StepAttempt, milliseconds: number): Omit<TimeLimit, 'whose'> {
  const controller = new host.AbortController();
  let expired = false;
  const stopTimer = clock.callAt(clock.now() + milliseconds, () => {
    expired = true;
    controller.abort(
      Object.assign(new Error(`The model took longer than ${milliseconds} ms.`), { name: 'TimeoutError' }),
    );
  });
  const forward = (): void => controller.abort(outer.reason);
  outer.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    stop() {
      stopTimer();
      outer.removeEventListener('abort', forward);
    },
  };
}

/** How long to wait before the same model is asked again; undefined when that is of no use. */
function delayBefore(
  { retryable, retryAfterMs, timedOutAfterMs }: FailedCall,
  failures: number,
  retry: Required<ModelRetry>,
): number | undefined {
  if (!retryable || !retry.on.includes(timedOutAfterMs === undefined ? 'error' : 'timeout')) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs <= retry.maximumDelayMs ? retryAfterMs : undefined;
  const full = Math.min(retry.initialDelayMs * 2 ** (failures - 1), retry.maximumDelayMs);
  // Half of the delay is chance, so that many runs that failed together do not come back together.
  return full * (0.5 + Math.random() / 2);
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
