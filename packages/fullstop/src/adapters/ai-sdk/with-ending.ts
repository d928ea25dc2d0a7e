import type { ContinueOptions, Ended, EndingOptions, Streaming } from '../core/ended.js';
import { toJournalJson } from '../core/journal-json.js';
import { type ForeignCallDefinition, resumeForeignRun, runForeign, streamForeign } from '../core/run-foreign.js';
import { property, textOf } from '../core/thrown-cause.js';
import { aiSdkFramework } from './ai-sdk-framework.js';
import { askedMessages } from './continue-call.js';
import type { AiSdkAgentEnding, AiSdkEnding } from './kinds.js';
import type { AiCallOptions } from './structure.js';

/** A function of the AI SDK, such as `generateText`. */
export type AiFunction<TOptions, TResult> = (options: TOptions) => PromiseLike<TResult>;

/** A function of the AI SDK that returns a stream, such as `streamText`. */
export type AiStreamFunction<TOptions, TResult> = (options: TOptions) => TResult;

/** An agent of the AI SDK, such as a `ToolLoopAgent`. */
export interface AiAgent<TOptions, TResult> {
  generate(options: TOptions): PromiseLike<TResult>;
}

/** An agent of the AI SDK that streams. */
export interface AiStreamAgent<TOptions, TResult> {
  stream(options: TOptions): PromiseLike<TResult> | TResult;
}

/**
 * Calls `generateText`, or an agent's `generate`, and returns its own result together with the one ending of the run.
 *
 * @example
 * const { termination, result } = await withEnding(generateText, { model, tools, prompt }, { stopWhen: [costBudget({ usd: 2 })] });
 */
export function withEnding<TOptions extends AiCallOptions, TResult, TKind extends string = never>(
  call: AiFunction<TOptions, TResult>,
  options: TOptions,
  ours?: EndingOptions<TKind>,
): Promise<Ended<AiSdkEnding<TOptions, TKind>, TResult>>;
export function withEnding<TOptions, TResult, TKind extends string = never>(
  agent: AiAgent<TOptions, TResult>,
  options: TOptions,
  ours?: EndingOptions<TKind>,
): Promise<Ended<AiSdkAgentEnding<TKind>, TResult>>;
export async function withEnding(
  called: unknown,
  options: AiCallOptions,
  ours: EndingOptions<string> = {},
): Promise<never> {
  return (await runForeign(defineCall(called, options, 'generate'), ours)) as never;
}

/**
 * Calls `streamText`, or an agent's `stream`: its own result at once, its stream unchanged, and the ending as a promise.
 *
 * @example
 * const { result, ending } = await streamWithEnding(streamText, { model, prompt });
 * for await (const text of result.textStream) write(text);
 * const { termination } = await ending;
 */
export function streamWithEnding<TOptions extends AiCallOptions, TResult, TKind extends string = never>(
  call: AiStreamFunction<TOptions, TResult>,
  options: TOptions,
  ours?: EndingOptions<TKind>,
): Promise<Streaming<AiSdkEnding<TOptions, TKind>, TResult>>;
export function streamWithEnding<TOptions, TResult, TKind extends string = never>(
  agent: AiStreamAgent<TOptions, TResult>,
  options: TOptions,
  ours?: EndingOptions<TKind>,
): Promise<Streaming<AiSdkAgentEnding<TKind>, TResult>>;
export async function streamWithEnding(
  called: unknown,
  options: AiCallOptions,
  ours: EndingOptions<string> = {},
): Promise<never> {
  return (await streamForeign(defineCall(called, options, 'stream'), ours)) as never;
}

/** Continues a stored run with the same call: with answers, or with larger limits. */
export function resumeWithEnding<TOptions extends AiCallOptions, TResult, TKind extends string = never>(
  call: AiFunction<TOptions, TResult>,
  options: TOptions,
  ours: EndingOptions<TKind> & ContinueOptions<TKind> & { readonly runId: string },
): Promise<Ended<AiSdkEnding<TOptions, TKind>, TResult>>;
export function resumeWithEnding<TOptions, TResult, TKind extends string = never>(
  agent: AiAgent<TOptions, TResult>,
  options: TOptions,
  ours: EndingOptions<TKind> & ContinueOptions<TKind> & { readonly runId: string },
): Promise<Ended<AiSdkAgentEnding<TKind>, TResult>>;
export async function resumeWithEnding(
  called: unknown,
  options: AiCallOptions,
  ours: EndingOptions<string> & ContinueOptions<string> & { readonly runId: string },
): Promise<never> {
  return (await resumeForeignRun(defineCall(called, options, 'generate'), ours)) as never;
}

/** The steps of an agent, and of a function, after which the AI SDK stops unless it is told otherwise. */
const usualSteps = { agent: 20, function: 1 } as const;

function defineCall(
  called: unknown,
  options: AiCallOptions,
  method: 'generate' | 'stream',
): ForeignCallDefinition<unknown> {
  const isFunction = typeof called === 'function';
  const settings = isFunction ? undefined : property(called, 'settings');
  const model = options.model ?? property(settings, 'model');
  const { provider, name: modelName } = readModelName(model);
  const name = isFunction ? called.name || method : (textOf(property(called, 'id')) ?? 'agent');
  const invoke = isFunction
    ? (given: object): unknown => called(given)
    : (given: object): unknown => (called as Record<string, (given: object) => unknown>)[method]?.(given);
  const framework = aiSdkFramework<unknown>(
    {
      options,
      usualSteps: isFunction ? usualSteps.function : usualSteps.agent,
      stopWhen: property(settings, 'stopWhen'),
      timeout: options.timeout ?? property(settings, 'timeout'),
      agent: name,
      provider,
      model: modelName,
      languageModel: model,
      invoke,
    },
    method === 'stream',
  );
  return {
    framework,
    name,
    input: toJournalJson({ call: name, model: modelName, system: options.system, messages: askedMessages(options) }),
    models: modelName === '' ? [] : [modelName],
    signal: options.abortSignal,
  };
}

/** The name under which a model has a price: models are objects, or names for a gateway. */
function readModelName(model: unknown): { readonly provider: string; readonly name: string } {
  if (typeof model === 'string') return { provider: model.split('/')[0] ?? '', name: model };
  const provider = textOf(property(model, 'provider')) ?? '';
  const modelId = textOf(property(model, 'modelId'));
  return { provider, name: modelId === undefined ? '' : `${provider}/${modelId}` };
}
