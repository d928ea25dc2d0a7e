import { partRunOptions } from '../run/carried-options.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { StandardSchema } from '../termination/standard-schema.js';
import type { AgentResult, AgentRunOptions } from './agent.js';
import { type AgentOutput, defineAgent } from './define-agent.js';
import type {
  AgentEnding,
  CompactionKinds,
  GoalKinds,
  HookKinds,
  OutputKinds,
  PermissionKinds,
  ToolKinds,
} from './kinds.js';
import type { AgentInput, AgentOptions, AnyAgentOptions } from './options/agent-options.js';
import { checkRunAgentOptions } from './options/check-agent-options.js';
import type { ContextOf, ContextOption } from './options/context.js';
import type { Goal } from './options/goal.js';
import type { AgentHooks } from './options/hooks.js';
import type { CompactionKey, InferredOptions } from './options/inferred-options.js';
import type { AgentPermissions } from './options/permissions.js';
import type { ToolSet } from './tools/tool.js';

/** The options of an agent that is run once, with what it is asked. */
export interface RunAgentOptions<
  TKind extends string = never,
  TTools extends ToolSet = Record<never, never>,
  TSchema extends StandardSchema | undefined = undefined,
  TRepair extends number | false = number,
  TGoal extends Goal | undefined = undefined,
  TDefinitions extends readonly AnyTerminationDefinition[] = [],
  TPermissions extends AgentPermissions | undefined = undefined,
> extends AgentOptions<TKind, TTools, TSchema, TRepair, TGoal, TDefinitions, TPermissions>,
    AgentRunOptions {
  readonly prompt: AgentInput;
}

/**
 * Runs an agent once.
 *
 * @example
 * const result = await runAgent({ model, tools: { search }, prompt: 'Find a supplier', stopWhen: [maxIterations(20)] });
 * result.termination.kind; // one of those that these options allow
 */
export async function runAgent<
  TKind extends string = never,
  TTools extends ToolSet = Record<never, never>,
  TSchema extends StandardSchema | undefined = undefined,
  const TRepair extends number | false = number,
  TGoal extends Goal | undefined = undefined,
  const TDefinitions extends readonly AnyTerminationDefinition[] = [],
  const TPermissions extends AgentPermissions | undefined = undefined,
  THook extends keyof AgentHooks = never,
  TCompaction extends CompactionKey = 'absent',
  TInputs = Record<never, never>,
  TContexts = Record<never, never>,
>(
  options: RunAgentOptions<TKind, TTools, TSchema, TRepair, TGoal, TDefinitions, TPermissions> &
    InferredOptions<TInputs, TContexts, THook, TCompaction> &
    ContextOption<ContextOf<TTools>>,
): Promise<
  AgentResult<
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
    ContextOf<TTools>
  >
> {
  const { run, rest } = partRunOptions(options as unknown as RunAgentOptions & { readonly context?: unknown });
  const { prompt, onDelta, context, ...agentOptions } = rest;
  checkRunAgentOptions(options);
  const agent = defineAgent(agentOptions as AnyAgentOptions);
  const given = { ...(onDelta !== undefined && { onDelta }), ...(context !== undefined && { context }) };
  return (await agent.run(prompt, { ...run, ...given })) as never;
}
