import type { EndingOfKind } from '../../stop/condition.js';
import type { ContinueOptions, Ended, EndingOptions, Streaming } from '../core/ended.js';
import type { UsualForeignKind } from '../core/foreign-kinds.js';
import { toJournalJson } from '../core/journal-json.js';
import { type ForeignCallDefinition, resumeForeignRun, runForeign, streamForeign } from '../core/run-foreign.js';
import { property } from '../core/thrown-cause.js';
import { langgraphFramework } from './langgraph-framework.js';
import type { GraphConfig, GraphLike } from './structure.js';

/** Everything that a graph can end with, besides the kinds of the conditions. */
export type LanggraphKind =
  | UsualForeignKind
  | 'flow_completed'
  | 'interaction_pending'
  | 'max_iterations'
  | 'max_tool_calls'
  | 'schema_validation'
  | 'time_budget'
  | 'tool_called';

/** The endings that a wrapped run of LangGraph can have. */
export type LanggraphEnding<TKind extends string> = EndingOfKind<LanggraphKind | TKind>;

/** A compiled graph of LangGraph, or an agent of LangChain. */
export interface InvokableGraph<TInput, TConfig, TResult> {
  invoke(input: TInput, config?: TConfig): PromiseLike<TResult>;
}

/** The same, where it streams. */
export interface StreamableGraph<TInput, TConfig, TResult> {
  stream(input: TInput, config?: TConfig): PromiseLike<TResult>;
}

/**
 * Invokes a graph and returns its own result together with the one ending of the run.
 *
 * @example
 * const { termination, result } = await withEnding(graph, [{ messages }, { recursionLimit: 50 }], { stopWhen: [loopDetection()] });
 */
export async function withEnding<TInput, TConfig, TResult, TKind extends string = never>(
  graph: InvokableGraph<TInput, TConfig, TResult>,
  given: readonly [input: TInput, config?: TConfig | undefined],
  ours: EndingOptions<TKind> = {},
): Promise<Ended<LanggraphEnding<TKind>, TResult>> {
  return (await runForeign(defineCall(graph, given, false), ours)) as never;
}

/** The same for a graph that streams: its own stream at once, unchanged, and the ending as a promise. */
export async function streamWithEnding<TInput, TConfig, TResult, TKind extends string = never>(
  graph: StreamableGraph<TInput, TConfig, TResult>,
  given: readonly [input: TInput, config?: TConfig | undefined],
  ours: EndingOptions<TKind> = {},
): Promise<Streaming<LanggraphEnding<TKind>, TResult>> {
  return (await streamForeign(defineCall(graph, given, true), ours)) as never;
}

/** Continues a stored run on its thread: with answers, or with larger limits. */
export async function resumeWithEnding<TInput, TConfig, TResult, TKind extends string = never>(
  graph: InvokableGraph<TInput, TConfig, TResult>,
  given: readonly [input: TInput, config?: TConfig | undefined],
  ours: EndingOptions<TKind> & ContinueOptions<TKind> & { readonly runId: string },
): Promise<Ended<LanggraphEnding<TKind>, TResult>> {
  return (await resumeForeignRun(defineCall(graph, given, false), ours)) as never;
}

function defineCall<TResult>(
  graph: unknown,
  [input, given]: readonly unknown[],
  streams: boolean,
): ForeignCallDefinition<TResult> {
  const config = (given ?? {}) as GraphConfig;
  const own = property(graph, 'name') ?? property(property(graph, 'options'), 'name');
  const name = typeof own === 'string' && own !== '' ? own : 'graph';
  return {
    framework: langgraphFramework<TResult>({ graph: graph as GraphLike, name, input, config, streams }),
    name,
    input: toJournalJson({ graph: name, input }),
    models: [],
    signal: config.signal,
  };
}
