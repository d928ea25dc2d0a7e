import type { AbortSignalLike } from '../../engines/port/engine.js';
import { type LanguageModel, type ModelCallOptions, readModel } from '../language-model.js';
import type { ModelRequest } from '../model-request.js';
import type { ModelDelta, ModelResponse } from '../model-response.js';
import { type Answer, readAnswer } from './read-answer.js';
import { type ReadStreamOptions, readStream } from './read-stream.js';
import { toCallOptions } from './to-call-options.js';
import { type AbortListener, untilAborted } from './until-aborted.js';

export interface CallModelOptions {
  /** Aborts the call, which then rejects with the signal's reason, whether the model listens or not. */
  readonly signal?: AbortSignalLike | undefined;
  /** Notified within the abort of a call that was begun. */
  readonly listener?: AbortListener | undefined;
  /** Streams the answer to this listener. The response is the same as without one. */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Called for every part of a stream, those that nobody is shown too. */
  readonly onPart?: (() => void) | undefined;
}

/** Asks a model once. Rejects with whatever the model threw: `classifyModelError` says what that means. */
export async function callModel(
  model: LanguageModel,
  request: ModelRequest,
  options: CallModelOptions = {},
): Promise<ModelResponse> {
  return readAnswer(await startCall(model, request, options));
}

/** Starts a call, whose answer `readAnswer` reads. Apart from `callModel`, because every further promise would cost a call as much as its bookkeeping. */
export function startCall(
  model: LanguageModel,
  request: ModelRequest,
  { signal, listener, onDelta, onPart }: CallModelOptions,
): PromiseLike<unknown> {
  const call = toCallOptions(readModel(model), request, signal);
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  const answering = onDelta === undefined ? model.doGenerate(call) : streamAnswer(model, call, { onDelta, onPart });
  return signal === undefined ? answering : untilAborted<unknown>(answering, signal, listener);
}

async function streamAnswer(
  model: LanguageModel,
  call: ModelCallOptions,
  listeners: Pick<ReadStreamOptions, 'onDelta' | 'onPart'>,
): Promise<Answer> {
  const stream = await model.doStream(call);
  listeners.onPart?.();
  return readStream(stream, { ...listeners, signal: call.abortSignal });
}
