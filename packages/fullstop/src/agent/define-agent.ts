import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { JsonValue } from '../termination/json.js';
import type { SchemaOutput, StandardSchema } from '../termination/standard-schema.js';
import type { Agent } from './agent.js';
import { DefinedAgent } from './defined-agent.js';
import type {
  AgentEnding,
  CompactionKinds,
  GoalKinds,
  HandOffOutput,
  HookKinds,
  OutputKinds,
  PermissionKinds,
  ToolKinds,
} from './kinds.js';
import type { AgentOptions, AnyAgentOptions } from './options/agent-options.js';
import type { ContextDefinition, GivenContext } from './options/context.js';
import type { Goal } from './options/goal.js';
import type { AgentHooks } from './options/hooks.js';
import type { CompactionKey, InferredOptions } from './options/inferred-options.js';
import type { AgentPermissions } from './options/permissions.js';
import type { ToolSet } from './tools/tool.js';

/** The output of an agent: what fits its schema, what was submitted, else text. */
export type AgentOutput<TSchema, TTools extends ToolSet> =
  | ([TSchema] extends [StandardSchema] ? SchemaOutput<TSchema> : string)
  | ('submitted' extends ToolKinds<TTools> ? JsonValue : never)
  | HandOffOutput<TTools>;

/**
 * Defines an agent: a model in a loop with tools, whose every run ends with exactly one of the kinds that these options
 * allow.
 *
 * @example
 * const agent = defineAgent({ name: 'researcher', model, tools: { search }, stopWhen: [maxIterations(20)] });
 * const { termination } = await agent.run('Find the three cheapest suppliers');
 */
export function defineAgent<
  TKind extends string = never,
  TTools extends ToolSet = Record<never, never>,
  TSchema extends StandardSchema | undefined = undefined,
  const TRepair extends number | false = number,
  TGoal extends Goal | undefined = undefined,
  const TDefinitions extends readonly AnyTerminationDefinition[] = [],
  const TPermissions extends AgentPermissions | undefined = undefined,
  THook extends keyof AgentHooks = never,
  TCompaction extends CompactionKey = 'absent',
  TProvided = never,
  TInputs = Record<never, never>,
  TContexts = Record<never, never>,
>(
  options: AgentOptions<TKind, TTools, TSchema, TRepair, TGoal, TDefinitions, TPermissions> &
    InferredOptions<TInputs, TContexts, THook, TCompaction> &
    ContextDefinition<TTools, TProvided>,
): Agent<
  AgentEnding<
    | TKind
    | ToolKinds<TTools>
    | OutputKinds<TSchema, TRepair>
    | GoalKinds<TGoal>
    | PermissionKinds<TPermissions>
    | HookKinds<THook>
    | CompactionKinds<TCompaction>,
    TDefinitions,
    TTools
  >,
  AgentOutput<TSchema, TTools>,
  GivenContext<TTools, TProvided>
> {
  return new DefinedAgent(options as unknown as AnyAgentOptions) as never;
}
