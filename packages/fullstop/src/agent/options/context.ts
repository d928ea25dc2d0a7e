import type { ToolLike, ToolSet } from '../tools/tool.js';
import type { AgentInput } from './agent-options.js';

/** The run that a context is made for. */
export interface ContextRequest {
  readonly runId: string;
  /** The name of the agent. */
  readonly agent: string;
  /** The input that the run was started with, as the journal has it. */
  readonly input: AgentInput;
}

/** Makes the context of a run: for starts that bring none, for resumes, and in workers. */
export type ContextProvider<TContext = unknown> = (run: ContextRequest) => TContext | PromiseLike<TContext>;

/** The context that all tools together need; unknown when none needs one. */
export type ContextOf<TTools extends ToolSet> = [NeedOf<TTools[keyof TTools]>] extends [
  (context: infer TContext) => void,
]
  ? TContext
  : unknown;

// It exists in types only.
declare const neededContext: unique symbol;

/** A tool that needs a context although no function of its own says so: an agent. */
export interface ContextNeeding<TContext> {
  readonly [neededContext]: (context: TContext) => void;
}

/** A need as a function, so that the needs of several tools meet in an intersection. */
type NeedOf<TTool> =
  TTool extends ContextNeeding<infer TContext>
    ? Need<TContext>
    : TTool extends { readonly execute?: infer TExecute }
      ? NeedOfFunction<Extract<TExecute, NonNullable<ToolLike['execute']>>>
      : never;

type NeedOfFunction<TExecute> = TExecute extends (input: never, options: infer TOptions) => unknown
  ? TOptions extends { readonly context: infer TContext }
    ? Need<TContext>
    : never
  : never;

type Need<TContext> = IsOpen<TContext> extends true ? never : (context: TContext) => void;

/** True for a type that names no member: it comes from a tool that does not say what it needs. */
type IsOpen<TContext> = unknown extends TContext
  ? true
  : string extends keyof NonNullable<TContext>
    ? true
    : [keyof NonNullable<TContext>] extends [never]
      ? true
      : false;

/** The context as an option: required when something needs it and nothing else brings it. */
export type ContextOption<TContext> = undefined extends TContext
  ? { readonly context?: TContext }
  : { readonly context: TContext };

/** The context that an agent has to be given: none when its definition brings it. */
export type GivenContext<TTools extends ToolSet, TProvided> = [TProvided] extends [never]
  ? ContextOf<TTools>
  : ContextOf<TTools> | undefined;

/** The definition's way to a context, which has to be one that the tools can use. */
export interface ContextDefinition<TTools extends ToolSet, TProvided> {
  /**
   * Makes the context for starts that bring none, for resumes and in workers; it may be asynchronous. The context itself is
   * never journalled.
   */
  readonly context?: ContextProvider<TProvided> & ContextProvider<ContextOf<TTools>>;
}
