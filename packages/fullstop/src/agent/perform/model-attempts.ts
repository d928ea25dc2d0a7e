import type { AbortSignalLike } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import { startCall } from '../../models/calls/call-model.js';
import { readAnswer } from '../../models/calls/read-answer.js';
import { classifyModelError } from '../../models/errors/classify-model-error.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ModelRequest } from '../../models/model-request.js';
import type { ModelDelta, ModelResponse } from '../../models/model-response.js';
import type { StepAttempt } from '../../run/run-context.js';
import type { TimeLeft } from '../machine/in-flight.js';
import type { FailedCall } from '../machine/state.js';
import type { ModelRetry } from '../options/agent-options.js';

/** A request to several models, of which the first answer counts. */
export interface ModelQuestion {
  readonly request: ModelRequest;
  readonly step: StepAttempt;
  /** Asked in this order when the one before cannot answer. */
  readonly models: readonly LanguageModel[];
  readonly retry: Required<ModelRetry>;
  /** For each attempt. */
  readonly timeoutMs: number | undefined;
  /** For all of them together. */
  readonly deadline: Deadline | undefined;
  /** Notified of what comes in, if someone wants to know. */
  readonly listener: AttemptListener | undefined;
  /** Notified of each attempt that was begun and cut off: the provider charges for it, whatever it reports. */
  onCutOff(model: LanguageModel, response?: ModelResponse): void;
}

/** The outcome of all attempts together: the answer, or the last failure. */
export interface ModelReply {
  readonly response?: ModelResponse;
  readonly failure?: FailedCall;
  readonly model: LanguageModel;
  readonly attempts: number;
}

/** Hears what the attempts of a call say while they say it. */
export interface AttemptListener {
  onDelta(delta: ModelDelta, attempt: number): void;
  /** Everything that this attempt said is void. */
  onDiscarded(attempt: number): void;
}

interface Deadline extends TimeLeft {
  readonly at: number;
}

/** The moment at which the time that is left will be over. */
export function deadlineOf(left: TimeLeft | undefined, { clock }: StepAttempt): Deadline | undefined {
  return left === undefined ? undefined : { ...left, at: clock.now() + left.ms };
}

/** Asks the first model, again where that may help, and then its fallbacks. Rejects only when the run is cancelled. */
export async function askModels(question: ModelQuestion): Promise<ModelReply> {
  let attempts = 0;
  let reply: ModelReply | undefined;
  for (const model of question.models) {
    for (let own = 1; ; own += 1) {
      attempts += 1;
      const asked: AskedModel = { model, attempts, limit: startLimit(question) };
      try {
        reply = replyOfAnswer(question, asked, await startAttempt(question, asked));
      } catch (error) {
        reply = replyOfError(question, asked, error);
      } finally {
        asked.limit?.stop();
      }
      const { failure } = reply;
      if (failure === undefined || failure.scope !== undefined) return reply;
      const delay = delayAfter(failure, own, question);
      if (delay === undefined) break;
      await pass(delay, question.step);
    }
  }
  return reply as ModelReply;
}

/** One attempt: the model that is asked, its place among the attempts, and its time limit. */
interface AskedModel {
  readonly model: LanguageModel;
  readonly attempts: number;
  readonly limit: TimeLimit | undefined;
}

function startAttempt({ request, step, listener, onCutOff }: ModelQuestion, asked: AskedModel): PromiseLike<unknown> {
  const { model, attempts, limit } = asked;
  const onDelta = listener && ((delta: ModelDelta): void => listener.onDelta(delta, attempts));
  // Within the abort: a unit that ends takes in what its steps report at once, and nothing later.
  const onAbort = (): void => onCutOff(model);
  return startCall(model, request, { signal: limit?.signal ?? step.signal, onAbort, onDelta });
}

function replyOfAnswer(question: ModelQuestion, { model, attempts }: AskedModel, answer: unknown): ModelReply {
  const response = readAnswer(answer);
  if (response.finish !== 'error' && response.finish !== 'interrupted') return { response, model, attempts };
  question.onCutOff(model, response);
  question.listener?.onDiscarded(attempts);
  return { failure: unfinishedFailure(model, response), model, attempts };
}

function replyOfError(question: ModelQuestion, { model, attempts, limit }: AskedModel, error: unknown): ModelReply {
  const { step, listener } = question;
  const isExpired = limit?.isExpired() === true;
  listener?.onDiscarded(attempts);
  // A cancelled call has no outcome: the step is performed again when the run is resumed.
  if (step.signal.aborted) throw error;
  const failure = classifyModelError(error, {
    provider: model.provider,
    // Not aborted here: an AbortError that the provider's client raised itself is a failed attempt.
    signal: step.signal,
    now: step.clock.now(),
  });
  if (!isExpired) return { failure, model, attempts };
  return { failure: { ...failure, type: 'unavailable', retryable: true, ...limit?.whose }, model, attempts };
}

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
  isExpired(): boolean;
  stop(): void;
}

/** Starts the tighter one of the limits of an attempt and of all of them. */
function startLimit({ step, timeoutMs, deadline }: ModelQuestion): TimeLimit | undefined {
  if (timeoutMs === undefined && deadline === undefined) return undefined;
  const own = timeoutMs ?? Number.POSITIVE_INFINITY;
  const left = timeUntil(deadline, step);
  if (deadline !== undefined && left <= own) {
    const { limitMs, scope } = deadline;
    return { ...limitTime(step, Math.max(1, left)), whose: { timedOutAfterMs: limitMs, scope } };
  }
  return { ...limitTime(step, own), whose: { timedOutAfterMs: own } };
}

function timeUntil(deadline: Deadline | undefined, { clock }: StepAttempt): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : deadline.at - clock.now();
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
    isExpired: () => expired,
    stop() {
      stopTimer();
      outer.removeEventListener('abort', forward);
    },
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
