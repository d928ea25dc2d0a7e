import type { EndingOfKind } from '../../stop/condition.js';
import type { ContinueOptions, Ended, EndingOptions, Streaming } from '../core/ended.js';
import type { UsualForeignKind } from '../core/foreign-kinds.js';
import { toJournalJson } from '../core/journal-json.js';
import { type ForeignCallDefinition, resumeForeignRun, runForeign, streamForeign } from '../core/run-foreign.js';
import { property, textOf } from '../core/thrown-cause.js';
import { type ClaudeCall, claudeFramework } from './claude-framework.js';
import type { ClaudeOptions } from './structure.js';

/** Everything that a query of the Claude Agent SDK can end with, besides the kinds of the conditions. */
export type ClaudeAgentKind =
  | UsualForeignKind
  | 'compaction_failed'
  | 'cost_budget'
  | 'halted'
  | 'indeterminate'
  | 'interaction_pending'
  | 'max_iterations'
  | 'schema_validation'
  | 'structured_output_exhausted';

/** The endings that a wrapped run of the Claude Agent SDK can have. */
export type ClaudeAgentEnding<TKind extends string> = EndingOfKind<ClaudeAgentKind | TKind>;

/** `query`, as the SDK exports it. */
export type QueryFunction<TGiven, TQuery> = (given: TGiven) => TQuery;

/** The message of a query with which a turn ends. */
export type ResultOf<TQuery> =
  TQuery extends AsyncIterable<infer TMessage> ? Extract<TMessage, { readonly type: 'result' }> : never;

/**
 * Reads a query to its end and returns its result message together with the one ending of the run.
 *
 * @example
 * const { termination, result } = await withEnding(query, { prompt, options: { maxTurns: 20 } }, { stopWhen: [loopDetection()] });
 */
export async function withEnding<TGiven, TQuery, TKind extends string = never>(
  query: QueryFunction<TGiven, TQuery>,
  given: TGiven,
  ours: EndingOptions<TKind> = {},
): Promise<Ended<ClaudeAgentEnding<TKind>, ResultOf<TQuery>>> {
  return (await runForeign(defineCall(query, given, false), ours)) as never;
}

/** The same for whoever reads the messages: the query at once, its messages unchanged, and the ending as a promise. */
export async function streamWithEnding<TGiven, TQuery, TKind extends string = never>(
  query: QueryFunction<TGiven, TQuery>,
  given: TGiven,
  ours: EndingOptions<TKind> = {},
): Promise<Streaming<ClaudeAgentEnding<TKind>, TQuery>> {
  return (await streamForeign(defineCall(query, given, true), ours)) as never;
}

/** Continues a stored run in its session: with answers, or with larger limits. */
export async function resumeWithEnding<TGiven, TQuery, TKind extends string = never>(
  query: QueryFunction<TGiven, TQuery>,
  given: TGiven,
  ours: EndingOptions<TKind> & ContinueOptions<TKind> & { readonly runId: string },
): Promise<Ended<ClaudeAgentEnding<TKind>, ResultOf<TQuery>>> {
  return (await resumeForeignRun(defineCall(query, given, false), ours)) as never;
}

function defineCall<TResult>(query: unknown, given: unknown, streams: boolean): ForeignCallDefinition<TResult> {
  const options = (property(given, 'options') ?? {}) as ClaudeOptions;
  const prompt = property(given, 'prompt');
  const name = textOf(property(options, 'agent')) ?? 'claude';
  const model = textOf(options.model);
  return {
    framework: claudeFramework<TResult>({ query: query as ClaudeCall['query'], name, prompt, options, streams }),
    name,
    // Prompts that come one by one are not known before they are sent.
    input: toJournalJson({ agent: name, model: model ?? null, prompt: typeof prompt === 'string' ? prompt : null }),
    models: model === undefined ? [] : [model],
    signal: options.abortController?.signal,
    // The SDK itself gives its process five seconds.
    graceMs: 15_000,
  };
}
