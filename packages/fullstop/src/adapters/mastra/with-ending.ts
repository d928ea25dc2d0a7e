import type { EndingOfKind } from '../../stop/condition.js';
import type { ContinueOptions, Ended, EndingOptions, Streaming } from '../core/ended.js';
import type { UsualForeignKind } from '../core/foreign-kinds.js';
import { toJournalJson } from '../core/journal-json.js';
import { type ForeignCallDefinition, resumeForeignRun, runForeign, streamForeign } from '../core/run-foreign.js';
import { property, textOf } from '../core/thrown-cause.js';
import { mastraFramework } from './mastra-framework.js';
import type { MastraAgentLike, MastraCallOptions } from './structure.js';

/** Everything that an agent of Mastra can end with, besides the kinds of the conditions. */
export type MastraKind =
  | UsualForeignKind
  | 'custom'
  | 'halted'
  | 'interaction_pending'
  | 'max_iterations'
  | 'schema_validation'
  | 'tool_called';

/** The endings that a wrapped run of Mastra can have. */
export type MastraEnding<TKind extends string> = EndingOfKind<MastraKind | TKind>;

/** An agent of Mastra that generates. */
export interface GeneratingAgent<TMessages, TOptions, TResult> {
  generate(messages: TMessages, options?: TOptions): PromiseLike<TResult>;
}

/** An agent of Mastra that streams. */
export interface StreamingAgent<TMessages, TOptions, TResult> {
  stream(messages: TMessages, options?: TOptions): PromiseLike<TResult>;
}

/**
 * Calls an agent's `generate` and returns its own result together with the one ending of the run.
 *
 * @example
 * const { termination, result } = await withEnding(agent, ['Find a supplier', { maxSteps: 20 }], { stopWhen: [loopDetection()] });
 */
export async function withEnding<TMessages, TOptions, TResult, TKind extends string = never>(
  agent: GeneratingAgent<TMessages, TOptions, TResult>,
  given: readonly [messages: TMessages, options?: TOptions | undefined],
  ours: EndingOptions<TKind> = {},
): Promise<Ended<MastraEnding<TKind>, TResult>> {
  return (await runForeign(defineCall(agent, given, false), ours)) as never;
}

/** The same for `stream`: its own result at once, its stream unchanged, and the ending as a promise. */
export async function streamWithEnding<TMessages, TOptions, TResult, TKind extends string = never>(
  agent: StreamingAgent<TMessages, TOptions, TResult>,
  given: readonly [messages: TMessages, options?: TOptions | undefined],
  ours: EndingOptions<TKind> = {},
): Promise<Streaming<MastraEnding<TKind>, TResult>> {
  return (await streamForeign(defineCall(agent, given, true), ours)) as never;
}

/** Continues a stored run with the same call: with answers, or with larger limits. */
export async function resumeWithEnding<TMessages, TOptions, TResult, TKind extends string = never>(
  agent: GeneratingAgent<TMessages, TOptions, TResult>,
  given: readonly [messages: TMessages, options?: TOptions | undefined],
  ours: EndingOptions<TKind> & ContinueOptions<TKind> & { readonly runId: string },
): Promise<Ended<MastraEnding<TKind>, TResult>> {
  return (await resumeForeignRun(defineCall(agent, given, false), ours)) as never;
}

function defineCall<TResult>(
  agent: unknown,
  [messages, given]: readonly unknown[],
  streams: boolean,
): ForeignCallDefinition<TResult> {
  const options = (given ?? {}) as MastraCallOptions;
  const name = textOf(property(agent, 'name')) ?? 'agent';
  const model = property(agent, 'model');
  const provider = textOf(property(model, 'provider')) ?? '';
  const modelId = textOf(property(model, 'modelId'));
  const named = textOf(model) ?? (modelId === undefined ? '' : `${provider}/${modelId}`);
  const call = { agent: agent as MastraAgentLike, name, model: named, provider, messages, options, streams };
  return {
    framework: mastraFramework<TResult>(call),
    name,
    input: toJournalJson({ agent: name, model: named, messages }),
    models: named === '' ? [] : [named],
    signal: options.abortSignal,
  };
}
