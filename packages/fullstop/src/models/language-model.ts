import type { AbortSignalLike } from '../engines/port/engine.js';
import type { StreamLike } from '../engines/port/host.js';
import { found } from '../termination/check.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { ReasoningEffort } from './model-request.js';

/** The versions of the AI SDK's language model specification that we speak. */
export type ModelVersion = 'v2' | 'v3' | 'v4';

/**
 * A language model of the AI SDK, taken by its shape: no package of theirs is needed, and models of several versions may
 * be in one process. Only what we use is named; results are `unknown` in detail, because they come from outside.
 */
export interface LanguageModel {
  readonly specificationVersion: ModelVersion;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: ModelCallOptions): PromiseLike<GenerateResult>;
  doStream(options: ModelCallOptions): PromiseLike<StreamResult>;
}

/** The options of a call. Wide enough that the options of every version fit into it. */
export interface ModelCallOptions {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly { readonly type: string; readonly name: string }[];
  readonly toolChoice?: { readonly type: string };
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly responseFormat?: { readonly type: string };
  /** Only in v4. */
  readonly reasoning?: ReasoningEffort;
  readonly abortSignal?: AbortSignalLike;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly providerOptions?: Readonly<Record<string, object>>;
}

/** A message in the form of the model's own version. */
export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
  readonly providerOptions?: object;
}

/** The result of `doGenerate`. */
export interface GenerateResult {
  readonly content: readonly { readonly type: string }[];
  /** A word in v2, an object with the provider's own word in v3 and v4. */
  readonly finishReason: unknown;
  /** Flat numbers in v2, nested ones in v3 and v4. */
  readonly usage: unknown;
  readonly warnings?: readonly unknown[];
  readonly providerMetadata?: unknown;
  readonly response?: { readonly id?: unknown; readonly modelId?: unknown };
}

/** The result of `doStream`. */
export interface StreamResult {
  readonly stream: StreamLike;
}

/** A model that was found to be one that we can call. */
export interface ModelAdapter {
  readonly provider: string;
  readonly modelId: string;
  readonly version: ModelVersion;
  readonly model: LanguageModel;
}

const supported: ReadonlySet<unknown> = new Set<ModelVersion>(['v2', 'v3', 'v4']);
const supportedText = 'v2, v3 and v4 (the models of AI SDK 5, 6 and 7)';

/** Recognises a model by its shape, or throws with what it is instead. */
export function readModel(model: LanguageModel): ModelAdapter {
  const candidate: unknown = model;
  if (typeof candidate !== 'object' && typeof candidate !== 'function') throw notAModel(candidate);
  if (candidate === null) throw notAModel(candidate);
  const { specificationVersion, doGenerate, doStream } = candidate as Partial<Record<keyof LanguageModel, unknown>>;
  if (!supported.has(specificationVersion)) throw wrongVersion(model, specificationVersion);
  if (typeof doGenerate !== 'function' || typeof doStream !== 'function') {
    throw refusal(`The model ${nameOf(model)} has no doGenerate or no doStream, so it is not a language model.`);
  }
  return { provider: model.provider, modelId: model.modelId, version: specificationVersion as ModelVersion, model };
}

function notAModel(candidate: unknown): FullstopError {
  if (typeof candidate === 'string') {
    return refusal(
      `The model is the name ${found(candidate)}. Load it first: await loadModel(${found(candidate)}), or pass a model of an AI SDK provider.`,
    );
  }
  return refusal(`Expected a language model of the AI SDK, found ${found(candidate)}.`);
}

function wrongVersion(model: LanguageModel, version: unknown): FullstopError {
  if (version === undefined) {
    return refusal(
      `Expected a language model of the AI SDK, found ${typeof model === 'function' ? 'a function; call it with the name of a model' : 'something without a specificationVersion'}.`,
    );
  }
  return refusal(
    `The model ${nameOf(model)} has specification version ${found(version)}; supported are ${supportedText}.`,
  );
}

function nameOf(model: LanguageModel): string {
  return JSON.stringify([model.provider, model.modelId].filter((name) => typeof name === 'string').join('/'));
}

function refusal(message: string): FullstopError {
  return new FullstopError('UNSUPPORTED_MODEL', message, { issues: [{ code: 'invalid', path: 'model', message }] });
}
