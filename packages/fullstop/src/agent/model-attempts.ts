import type { AbortSignalLike } from '../engines/port/engine.js';
import { host } from '../engines/port/host.js';
import { callModel } from '../models/call-model.js';
import { classifyModelError, type ModelFailure } from '../models/classify-model-error.js';
import type { LanguageModel } from '../models/language-model.js';
import type { ModelRequest } from '../models/model-request.js';
import type { ModelResponse } from '../models/model-response.js';
import type { StepAttempt } from '../run/run-context.js';
import type { ModelRetry } from './agent-options.js';

/** What came of all attempts together. */
export interface Attempted {
  readonly response?: ModelResponse;
  readonly model: LanguageModel;
  readonly failure?: ModelFailure & { readonly timedOutAfterMs?: number };
  readonly attempts: number;
}

export interface AttemptOptions {
  readonly models: readonly LanguageModel[];
  readonly retry: Required<ModelRetry>;
  /** For each attempt. */
  readonly timeoutMs: number | undefined;
}

type Failure = NonNullable<Attempted['failure']>;

/** Asks the model, again where that may help, and then the models that stand in for it. */
export async function askModels(
  request: ModelRequest,
  attempt: StepAttempt,
  options: AttemptOptions,
): Promise<Attempted> {
  let attempts = 0;
  let failed: { readonly model: LanguageModel; readonly failure: Failure } | undefined;
  for (const model of options.models) {
    for (let own = 1; own <= options.retry.attempts; own += 1) {
      attempts += 1;
      const result = await askOnce(model, request, { attempt, timeoutMs: options.timeoutMs });
      if ('response' in result) return { response: result.response, model, attempts };
      failed = { model, failure: result.failure };
      const delay = own < options.retry.attempts ? delayBefore(result.failure, own, options.retry) : undefined;
      if (delay === undefined) break;
      await pass(delay, attempt);
    }
  }
  const { model, failure } = failed as NonNullable<typeof failed>;
  return { model, failure, attempts };
}

interface OneAttempt {
  readonly attempt: StepAttempt;
  readonly timeoutMs: number | undefined;
}

type Result = { readonly response: ModelResponse } | { readonly failure: Failure };

async function askOnce(
  model: LanguageModel,
  request: ModelRequest,
  { attempt, timeoutMs }: OneAttempt,
): Promise<Result> {
  const { signal, clock } = attempt;
  const limit = timeoutMs === undefined ? undefined : limitTime(signal, timeoutMs, attempt);
  try {
    const response = await callModel(model, request, { signal: limit?.signal ?? signal });
    const unfinished = response.finish === 'error' || response.finish === 'interrupted';
    return unfinished ? { failure: unfinishedFailure(model, response) } : { response };
  } catch (error) {
    // A cancelled call has no outcome: the step is performed again when the run goes on.
    if (signal.aborted) throw error;
    const failure = classifyModelError(error, { provider: model.provider, now: clock.now() });
    if (limit?.expired() !== true || timeoutMs === undefined) return { failure };
    return { failure: { ...failure, type: 'unavailable', retryable: true, timedOutAfterMs: timeoutMs } };
  } finally {
    limit?.stop();
  }
}

function unfinishedFailure({ provider }: LanguageModel, { finish, rawFinish }: ModelResponse): Failure {
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
  expired(): boolean;
  stop(): void;
}

function limitTime(outer: AbortSignalLike, milliseconds: number, { clock }: StepAttempt): TimeLimit {
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
  { retryable, retryAfterMs }: Failure,
  failures: number,
  retry: Required<ModelRetry>,
): number | undefined {
  if (!retryable) return undefined;
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
