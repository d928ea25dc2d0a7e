import type { AbortSignalLike } from '../engines/port/engine.js';
import { type LanguageModel, type ModelCallOptions, readModel } from './language-model.js';
import type { ModelRequest } from './model-request.js';
import type { ModelDelta, ModelResponse } from './model-response.js';
import { type Answer, readAnswer } from './read-answer.js';
import { readStream } from './read-stream.js';
import { toCallOptions } from './to-call-options.js';
import { type Settling, settleUnlessAborted } from './until-aborted.js';

export interface CallModelOptions {
  /** Aborts the call, which then rejects with the signal's reason, whether the model listens or not. */
  readonly signal?: AbortSignalLike;
  /** Streams the answer to this listener. The response is the same as without one. */
  readonly onDelta?: (delta: ModelDelta) => void;
}

/** Asks a model once. Rejects with whatever the model threw: `classifyModelError` says what that means. */
export function callModel(
  model: LanguageModel,
  request: ModelRequest,
  { signal = never, onDelta }: CallModelOptions = {},
): Promise<ModelResponse> {
  return callModelAndThen(model, request, { signal, onDelta, done: (response) => response });
}

/** For calls that nobody can abort. */
const never: AbortSignalLike = {
  aborted: false,
  reason: undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};

export interface CallAndThen<TResult> extends Settling<ModelResponse, TResult> {
  readonly signal: AbortSignalLike;
  readonly onDelta?: CallModelOptions['onDelta'] | undefined;
}

/** Asks a model once and goes on with the response, or with whatever the model threw. */
export function callModelAndThen<TResult>(
  model: LanguageModel,
  request: ModelRequest,
  { signal, onDelta, done, failed }: CallAndThen<TResult>,
): Promise<TResult> {
  const settling = { done: (answer: unknown) => done(readAnswer(answer)), failed };
  return settleUnlessAborted(begin(model, request, { signal, onDelta }), signal, settling);
}

/** Begins a call; what is wrong with it before that is a failure of the call too. */
function begin(
  model: LanguageModel,
  request: ModelRequest,
  { signal, onDelta }: Pick<CallAndThen<never>, 'signal' | 'onDelta'>,
): PromiseLike<unknown> {
  try {
    const call = toCallOptions(readModel(model), request, signal === never ? undefined : signal);
    if (signal.aborted) return Promise.reject(signal.reason);
    return onDelta === undefined ? model.doGenerate(call) : streamed(model, call, onDelta);
  } catch (error) {
    return Promise.reject(error);
  }
}

async function streamed(
  model: LanguageModel,
  call: ModelCallOptions,
  onDelta: (delta: ModelDelta) => void,
): Promise<Answer> {
  return readStream(await model.doStream(call), { onDelta, signal: call.abortSignal });
}
