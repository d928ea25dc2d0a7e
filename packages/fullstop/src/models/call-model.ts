import type { AbortSignalLike } from '../engines/port/engine.js';
import { type LanguageModel, type ModelCallOptions, readModel } from './language-model.js';
import type { ModelRequest } from './model-request.js';
import type { ModelDelta, ModelResponse } from './model-response.js';
import { type Answer, readAnswer } from './read-answer.js';
import { readStream } from './read-stream.js';
import { toCallOptions } from './to-call-options.js';
import { untilAborted } from './until-aborted.js';

export interface CallModelOptions {
  /** Aborts the call, which then rejects with the signal's reason, whether the model listens or not. */
  readonly signal?: AbortSignalLike;
  /** Streams the answer to this listener. The response is the same as without one. */
  readonly onDelta?: (delta: ModelDelta) => void;
}

/** Asks a model once. Rejects with whatever the model threw: `classifyModelError` says what that means. */
export async function callModel(
  model: LanguageModel,
  request: ModelRequest,
  { signal, onDelta }: CallModelOptions = {},
): Promise<ModelResponse> {
  const call = toCallOptions(readModel(model), request, signal);
  if (signal?.aborted === true) throw signal.reason;
  const asked = onDelta === undefined ? model.doGenerate(call) : streamed(model, call, onDelta);
  return readAnswer(await (signal === undefined ? asked : untilAborted(asked, signal)));
}

async function streamed(
  model: LanguageModel,
  call: ModelCallOptions,
  onDelta: (delta: ModelDelta) => void,
): Promise<Answer> {
  return readStream(await model.doStream(call), { onDelta, signal: call.abortSignal });
}
