import type { AbortSignalLike } from '../../engines/port/engine.js';
import { type LanguageModel, type ModelCallOptions, readModel } from '../language-model.js';
import type { ModelRequest } from '../model-request.js';
import type { ModelDelta, ModelResponse } from '../model-response.js';
import { type Answer, readAnswer } from './read-answer.js';
import { readStream } from './read-stream.js';
import { toCallOptions } from './to-call-options.js';
import { settleUnlessAborted } from './until-aborted.js';

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
  return settleUnlessAborted(beginCall(model, request, { signal, onDelta }), signal, { done: readAnswer });
}

/** For calls that nobody can abort. */
const never: AbortSignalLike = {
  aborted: false,
  reason: undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};

interface Beginning {
  readonly signal: AbortSignalLike;
  readonly onDelta: CallModelOptions['onDelta'] | undefined;
}

/** Begins a call, whose answer `readAnswer` reads; what is wrong with it before that is a failure of the call too. */
export function beginCall(
  model: LanguageModel,
  request: ModelRequest,
  { signal, onDelta }: Beginning,
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
