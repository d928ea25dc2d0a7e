import type { EndingOfKind } from '../../stop/condition.js';
import type { ContinueOptions, Ended, EndingOptions, Streaming } from '../core/ended.js';
import type { UsualForeignKind } from '../core/foreign-kinds.js';
import { toJournalJson } from '../core/journal-json.js';
import { type ForeignCallDefinition, resumeForeignRun, runForeign, streamForeign } from '../core/run-foreign.js';
import { property, textOf } from '../core/thrown-cause.js';
import { openaiAgentsFramework } from './openai-agents-framework.js';
import type { AgentRunOptions } from './structure.js';

/** Everything that a run of the OpenAI Agents SDK can end with, besides the kinds of the conditions. */
export type OpenaiAgentsKind =
  | UsualForeignKind
  | 'halted'
  | 'indeterminate'
  | 'interaction_pending'
  | 'max_iterations'
  | 'schema_validation'
  | 'time_budget'
  | 'tool_called';

/** The endings that a wrapped run of the OpenAI Agents SDK can have. */
export type OpenaiAgentsEnding<TKind extends string> = EndingOfKind<OpenaiAgentsKind | TKind>;

/** `run`, as the SDK exports it. */
export type RunFunction<TArguments extends readonly unknown[], TResult> = (
  ...given: TArguments
) => PromiseLike<TResult>;

/** A runner of the SDK: of its models every call is counted exactly, also where agents only name theirs. */
export interface RunnerLike<TArguments extends readonly unknown[], TResult> {
  run(...given: TArguments): PromiseLike<TResult>;
}

/** Our side of a call of the OpenAI Agents SDK. */
export interface OpenaiAgentsOptions<TKind extends string = never> extends EndingOptions<TKind> {
  /** Reads a state that was written down: `(state) => RunState.fromString(agent, state)`. Needed to continue in another process. */
  readonly restore?: (state: string) => unknown;
}

/** `run` or a runner, with whatever it accepts. */
export type RunLike<TArguments extends readonly unknown[], TResult> =
  | RunFunction<TArguments, TResult>
  | RunnerLike<TArguments, TResult>;

/**
 * Calls `run`, or a runner's, and returns its own result together with the one ending of the run.
 *
 * @example
 * const { termination, result } = await withEnding(run, [agent, 'Find a supplier', { maxTurns: 20 }], { stopWhen: [loopDetection()] });
 */
export async function withEnding<TAgent, TInput, TOptions, TResult, TKind extends string = never>(
  called: RunLike<[TAgent, TInput, TOptions], TResult>,
  given: readonly [agent: TAgent, input: TInput, options?: TOptions | undefined],
  ours: OpenaiAgentsOptions<TKind> = {},
): Promise<Ended<OpenaiAgentsEnding<TKind>, TResult>> {
  const { restore, ...rest } = ours;
  return (await runForeign(defineCall(called, given, { stream: false, restore }), rest)) as never;
}

/** The same for a run that streams: its own result at once, its stream unchanged, and the ending as a promise. */
export async function streamWithEnding<TAgent, TInput, TOptions, TResult, TKind extends string = never>(
  called: RunLike<[TAgent, TInput, TOptions], TResult>,
  given: readonly [agent: TAgent, input: TInput, options?: TOptions | undefined],
  ours: OpenaiAgentsOptions<TKind> = {},
): Promise<Streaming<OpenaiAgentsEnding<TKind>, TResult>> {
  const { restore, ...rest } = ours;
  return (await streamForeign(defineCall(called, given, { stream: true, restore }), rest)) as never;
}

/** Continues a stored run with the same call: with answers, or with larger limits. */
export async function resumeWithEnding<TAgent, TInput, TOptions, TResult, TKind extends string = never>(
  called: RunLike<[TAgent, TInput, TOptions], TResult>,
  given: readonly [agent: TAgent, input: TInput, options?: TOptions | undefined],
  ours: OpenaiAgentsOptions<TKind> & ContinueOptions<TKind> & { readonly runId: string },
): Promise<Ended<OpenaiAgentsEnding<TKind>, TResult>> {
  const { restore, ...rest } = ours;
  return (await resumeForeignRun(defineCall(called, given, { stream: false, restore }), rest)) as never;
}

function defineCall<TResult>(
  called: unknown,
  [agent, input, given]: readonly unknown[],
  { stream, restore }: { readonly stream: boolean; readonly restore: ((state: string) => unknown) | undefined },
): ForeignCallDefinition<TResult> {
  const options: AgentRunOptions = { ...(given as AgentRunOptions | undefined), ...(stream && { stream }) };
  const name = textOf(property(agent, 'name')) ?? 'agent';
  const model = modelOf(agent);
  return {
    framework: openaiAgentsFramework<TResult>({ called, agent, name, model, input, options, restore }),
    name,
    input: toJournalJson({ agent: name, model, input: isState(input) ? String(input) : input }),
    models: model === '' ? [] : [model],
    signal: options.signal,
  };
}

function modelOf(agent: unknown): string {
  const model = property(agent, 'model');
  return textOf(model) ?? textOf(property(model, 'model')) ?? textOf(property(model, 'name')) ?? '';
}

function isState(input: unknown): boolean {
  return typeof property(input, 'approve') === 'function';
}
