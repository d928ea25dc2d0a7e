import type { AbortSignalLike } from '../../engines/port/engine.js';
import { type LanguageModel, readModel } from '../language-model.js';
import type { ModelRequest } from '../model-request.js';
import type { ModelDelta, ModelResponse } from '../model-response.js';
import { readAnswer } from './read-answer.js';
import { readStream } from './read-stream.js';
import { toCallOptions } from './to-call-options.js';
import type { KnownPrompts } from './to-prompt.js';
import { untilAborted } from './until-aborted.js';

export interface CallModelOptions {
  /** Aborts the call, which then rejects with the signal's reason, whether the model listens or not. */
  readonly signal?: AbortSignalLike | undefined;
  /** Streams the answer to this listener. The response is the same as without one. */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Called for every part of a stream, those that nobody is shown too. */
  readonly onPart?: (() => void) | undefined;
  /** The conversation as earlier calls converted it, for callers that make many. */
  readonly prompts?: KnownPrompts | undefined;
}

/** Asks a model once. Rejects with whatever the model threw: `classifyModelError` says what that means. */
export async function callModel(
  model: LanguageModel,
  request: ModelRequest,
  options: CallModelOptions = {},
): Promise<ModelResponse> {
  const start = (): PromiseLike<unknown> => startCall(model, request, options);
  return readAnswer(await (options.signal === undefined ? start() : untilAborted(start, options.signal)));
}

/** Starts a call, whose answer `readAnswer` reads. It is the caller's task to wait no longer than until the signal is aborted. */
export function startCall(
  model: LanguageModel,
  request: ModelRequest,
  options: CallModelOptions,
): PromiseLike<unknown> {
  const { signal, onDelta, onPart } = options;
  const call = toCallOptions(readModel(model), request, options);
  if (onDelta === undefined) return model.doGenerate(call);
  return readStream(model.doStream(call), { onDelta, onPart, signal });
}
