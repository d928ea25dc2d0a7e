import type { EndingOfKind } from '../stop/condition.js';
import { listOf } from '../stop/resume-conditions.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { EndingOf } from '../termination/registry.js';
import type { StandardSchema } from '../termination/standard-schema.js';
import type { AgentOptions, AnyAgentOptions } from './options/agent-options.js';
import type { HaltDirective, SubmitDirective } from './options/directive.js';
import type { AgentHooks } from './options/hooks.js';
import type { CompactionKey } from './options/inferred-options.js';
import { mayExpire } from './options/permissions.js';
import { hookNames } from './perform/ask-hook.js';
import { handOffTargets } from './tools/hand-off.js';
import type { ToolLike, ToolSet } from './tools/tool.js';
import { unitOf } from './tools/unit-tool.js';

/** The kinds that every agent can end with, whatever its options. */
export const baseKinds = [
  'natural_end',
  'max_iterations',
  'time_budget',
  'cancelled',
  'agent_refused',
  'output_truncated',
  'prompt_too_long',
  'provider_auth',
  'provider_quota',
  'provider_failed',
  'no_answer',
  'failed',
  'abandoned',
] as const;

export type BaseKind = (typeof baseKinds)[number];

/** The kinds that tools add: those that may ask a person, may stop the run, and may hand in the result. */
export type ToolKinds<TTools extends ToolSet> =
  | ('needsApproval' extends KeysOf<TTools[keyof TTools]> ? 'interaction_pending' : never)
  | ClientKinds<TTools[keyof TTools]>
  | ExpiryKinds<ApprovalOf<TTools[keyof TTools]>>
  | (true extends MayReturn<TTools[keyof TTools], HaltDirective> ? 'halted' : never)
  | (true extends Submits<TTools[keyof TTools]> ? 'submitted' : never);

type ApprovalOf<TTool> =
  | (TTool extends { readonly approval: infer TTerms } ? TTerms : never)
  | (TTool extends { readonly client: infer TTerms } ? TTerms : never);

/** A tool without a function of its own, which is no agent either, is performed outside: the run waits for its result. */
type ClientKinds<TTool> = TTool extends { readonly execute: AnyFunction } | { readonly agent: string }
  ? never
  : TTool extends unknown
    ? 'interaction_pending'
    : never;

type AnyFunction = (...values: never[]) => unknown;

/** Terms with a deadline end the run when nobody answers, unless the call is then decided. */
type ExpiryKinds<TTerms> = TTerms extends { readonly deadline: unknown }
  ? TTerms extends { readonly onExpiry: 'approve' | 'reject' }
    ? never
    : 'gate_expired'
  : never;

/** The kinds that permissions add: those of the tools that a person is asked about. */
export type PermissionKinds<TPermissions> =
  | (TPermissions extends { readonly ask: readonly unknown[] } ? 'interaction_pending' : never)
  | (TPermissions extends { readonly approval: infer TTerms } ? ExpiryKinds<TTerms> : never);

type KeysOf<T> = T extends unknown ? keyof T : never;

type Submits<TTool> = TTool extends { readonly submits: true } ? true : MayReturn<TTool, SubmitDirective>;

type MayReturn<TTool, TDirective> = MayBe<ResultOf<ExecuteOf<TTool>>, TDirective>;

type ExecuteOf<TTool> = TTool extends { readonly execute?: infer TExecute } ? Extract<TExecute, AnyFunction> : never;

type ResultOf<TExecute> = TExecute extends (...values: never[]) => infer TResult
  ? { readonly result: Awaited<TResult> }
  : never;

/** A result that nobody knows may be anything. */
type MayBe<T, TDirective> = T extends { readonly result: infer TResult }
  ? unknown extends TResult
    ? true
    : [Extract<TResult, TDirective>] extends [never]
      ? never
      : true
  : never;

/** The kinds that an output schema adds. */
export type OutputKinds<TSchema, TRepair> = [TSchema] extends [StandardSchema]
  ? [TRepair] extends [false]
    ? 'schema_validation'
    : 'structured_output_exhausted'
  : never;

/** The kinds that a goal adds. */
export type GoalKinds<TGoal> = [TGoal] extends [undefined] ? never : 'completed';

/** The kinds that hooks add: all but `onEnd` may stop the run. */
export type HookKinds<THook extends keyof AgentHooks> = [Exclude<THook, 'name' | 'onEnd'>] extends [never]
  ? never
  : 'halted' | 'plugin_requested';

/** The kinds that a compaction adds. */
export type CompactionKinds<TCompaction extends CompactionKey> = 'absent' extends TCompaction
  ? never
  : 'compaction_failed';

/** The endings of an agent with these options: its own, and those of all agents that the conversation can be handed over to. */
export type AgentEnding<
  TKind extends string,
  TDefinitions extends readonly AnyTerminationDefinition[],
  TTools extends ToolSet = Record<never, never>,
> = EndingOfKind<BaseKind | TKind> | EndingOf<TDefinitions[number]> | HandOffEnding<TTools>;

type HandedOver<TTool> = TTool extends { readonly '~ends'?: infer TEnds } ? Exclude<TEnds, undefined> : never;

type HandOffEnding<TTools extends ToolSet> =
  HandedOver<TTools[keyof TTools]> extends infer TEnds
    ? TEnds extends { readonly termination: infer TEnding extends Ending }
      ? TEnding
      : never
    : never;

/** The outputs of the agents that the conversation can be handed over to. */
export type HandOffOutput<TTools extends ToolSet> =
  HandedOver<TTools[keyof TTools]> extends infer TEnds
    ? TEnds extends { readonly output: infer TOutput }
      ? TOutput
      : never
    : never;

/** The kinds that an agent with these options can end with: at run time what the type of its result says. */
export function possibleKinds(options: Pick<AnyAgentOptions, PossibilityOption>): readonly string[] {
  const { stopWhen = [], tools = {}, output, repair, goal, terminations = [], permissions = {} } = options;
  const { hooks, compaction } = options;
  const list = Object.values(tools);
  const terms = [permissions.approval, ...list.flatMap(({ approval, client }) => [approval, client])];
  return [
    ...new Set([
      ...baseKinds,
      ...listOf(stopWhen).flatMap(({ kinds }) => kinds),
      // Whether a function will stop the run or hand in something is known to its type only.
      ...(list.some(({ execute }) => execute !== undefined) ? ['halted', 'submitted'] : []),
      ...(stoppingHooks.some((hook) => hooks?.[hook] !== undefined) ? ['halted', 'plugin_requested'] : []),
      ...(compaction === undefined ? [] : ['compaction_failed']),
      ...(list.some(mayAsk) || permissions.ask !== undefined ? ['interaction_pending'] : []),
      ...(terms.some((each) => each !== undefined && mayExpire(each)) ? ['gate_expired'] : []),
      ...(list.some(({ submits }) => submits === true) ? ['submitted'] : []),
      ...(output === undefined ? [] : [repair === false ? 'schema_validation' : 'structured_output_exhausted']),
      ...(goal === undefined ? [] : ['completed']),
      ...terminations.map(({ kind }) => kind),
      ...[...handOffTargets(tools).values()].flatMap(({ kinds }) => kinds),
    ]),
  ];
}

const stoppingHooks = hookNames.filter((hook) => hook !== 'onEnd');

function mayAsk(tool: ToolLike): boolean {
  const { execute, needsApproval, pauses } = tool;
  const isClient = execute === undefined && unitOf(tool) === undefined;
  return isClient || pauses === true || needsApproval === true || typeof needsApproval === 'function';
}

type PossibilityOption = Extract<
  keyof AgentOptions,
  'stopWhen' | 'tools' | 'output' | 'repair' | 'goal' | 'terminations' | 'permissions' | 'hooks' | 'compaction'
>;
