import type { JsonValue } from '../../termination/json.js';
import type { ToolCallOptions, ToolLike } from '../tools/tool.js';
import type { CompactionOptions } from './compaction.js';
import type { AgentHooks } from './hooks.js';

/** The type of the values that fit a schema, in whatever form that is; the second type when the schema does not say. */
export type ValueOfSchema<TSchema, TElse> = TSchema extends {
  readonly '~standard': { readonly types?: { readonly output: infer TOutput } | undefined };
}
  ? TOutput
  : TSchema extends { readonly _type: infer TValue }
    ? TValue
    : TSchema extends () => infer TLazy
      ? ValueOfSchema<TLazy, TElse>
      : TElse;

/** A tool whose function says nothing about its parameters, so that those of the schemas are not in doubt. */
export interface OpenTool extends Omit<ToolLike, 'execute'> {
  readonly execute?: object | undefined;
}

/** A tool in whose function input and context have the types of its schemas. Any other function fits too: it is checked elsewhere. */
export interface InferredTool<TInput, TContext> extends Omit<ToolLike, 'inputSchema' | 'contextSchema' | 'execute'> {
  readonly inputSchema?: TInput;
  readonly contextSchema?: TContext;
  readonly execute?:
    | ((input: ValueOfSchema<TInput, JsonValue>, options: ToolCallOptions<ValueOfSchema<TContext, unknown>>) => unknown)
    | object
    | undefined;
}

/** The keys of a compaction, or that there is none: an empty one is one. */
export type CompactionKey = keyof CompactionOptions | 'absent';

/**
 * The parts of options that are there for inference alone, in type parameters of their own: schemas before the functions that
 * depend on them, and which hooks there are without a type for each. So functions that are written in place have the types of
 * their parameters, and keep those of their results.
 */
export interface InferredOptions<
  TInputs,
  TContexts,
  THook extends keyof AgentHooks,
  TCompaction extends CompactionKey,
> {
  readonly tools?: {
    readonly [K in keyof TInputs]?: InferredTool<TInputs[K], K extends keyof TContexts ? TContexts[K] : unknown>;
  } & { readonly [K in keyof TContexts]?: { readonly contextSchema?: TContexts[K] } };
  readonly hooks?: { readonly [K in THook]?: unknown };
  readonly compaction?: { readonly [K in TCompaction]?: unknown };
}
