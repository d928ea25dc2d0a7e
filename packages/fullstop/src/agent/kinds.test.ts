import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { loopDetection } from '../stop/conditions/loop-detection.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { timeout } from '../stop/conditions/timeout.js';
import { type AnyTerminationDefinition, defineTermination } from '../termination/define-termination.js';
import type { StandardSchema } from '../termination/standard-schema.js';
import { defineAgent } from './define-agent.js';
import {
  type AgentEnding,
  type BaseKind,
  baseKinds,
  type CompactionKinds,
  type GoalKinds,
  type HookKinds,
  type OutputKinds,
  type PermissionKinds,
  possibleKinds,
  type ToolKinds,
} from './kinds.js';
import type { AgentOptions, AnyAgentOptions } from './options/agent-options.js';
import { halt, submit } from './options/directive.js';
import { type Goal, goal } from './options/goal.js';
import type { AgentHooks } from './options/hooks.js';
import type { CompactionKey, InferredOptions } from './options/inferred-options.js';
import type { AgentPermissions } from './options/permissions.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { clientTool } from './tools/client-tool.js';
import { submitTool } from './tools/submit-tool.js';
import { requireApproval, type ToolSet } from './tools/tool.js';

interface Row {
  readonly options: AnyAgentOptions;
  readonly typed: readonly string[];
}

type Added<TKind extends string> = [Exclude<TKind, BaseKind>] extends [never]
  ? Readonly<Record<string, never>>
  : Readonly<Record<Exclude<TKind, BaseKind>, true>>;

/** Options, and the kinds that their type adds: one that is missing or too much does not compile. */
function row<
  TKind extends string = never,
  TTools extends ToolSet = Record<never, never>,
  TSchema extends StandardSchema | undefined = undefined,
  const TRepair extends number | false = number,
  TGoal extends Goal | undefined = undefined,
  const TDefinitions extends readonly AnyTerminationDefinition[] = [],
  const TPermissions extends AgentPermissions | undefined = undefined,
  THook extends keyof AgentHooks = never,
  TCompaction extends CompactionKey = 'absent',
>(
  options: Omit<AgentOptions<TKind, TTools, TSchema, TRepair, TGoal, TDefinitions, TPermissions>, 'model'> &
    InferredOptions<unknown, unknown, THook, TCompaction>,
  added: Added<
    AgentEnding<
      | TKind
      | ToolKinds<TTools>
      | OutputKinds<TSchema, TRepair>
      | GoalKinds<TGoal>
      | PermissionKinds<TPermissions>
      | HookKinds<THook>
      | CompactionKinds<TCompaction>,
      TDefinitions
    >['kind']
  >,
): Row {
  return { options: options as unknown as AnyAgentOptions, typed: Object.keys(added) };
}

const model: LanguageModel = scriptedModel([{ text: 'x' }]);
const plain = { execute: (input: object) => JSON.stringify(input) };
const outside = { description: 'performed outside' };
const output = z.object({ score: z.number() });
const reconciled = defineTermination({
  kind: 'app.reconciled',
  schema: z.object({}),
  family: 'completion',
  category: 'success',
});
const asking = defineAgent({ model, tools: { outside } });
const quiet = defineAgent({ model });

const anyHooks: AgentHooks = { afterTool: () => undefined };

const rows: Readonly<Record<string, Row>> = {
  nothing: row({}, {}),
  conditions: row({ stopWhen: [loopDetection(), costBudget({ usd: 1 })] }, { loop_detected: true, cost_budget: true }),
  'limits of time': row({ stopWhen: [timeout({ run: '1m' }), maxToolCalls(3)] }, { max_tool_calls: true }),
  'a limit for tools only': row({ stopWhen: [timeout({ tool: '1s' })] }, {}),
  'own kinds': row(
    { terminations: [reconciled], stopWhen: [stopCondition('r', () => reconciled({}), ['app.reconciled'])] },
    { 'app.reconciled': true },
  ),
  'a plain tool': row({ tools: { plain } }, {}),
  'an approval': row({ tools: { plain: requireApproval(plain) } }, { interaction_pending: true }),
  'an approval with a deadline': row(
    { tools: { plain: requireApproval(plain, { deadline: '1h' }) } },
    { interaction_pending: true, gate_expired: true },
  ),
  'an approval that expires to a no': row(
    { tools: { plain: requireApproval(plain, { deadline: '1h', onExpiry: 'reject' }) } },
    { interaction_pending: true },
  ),
  'permissions that ask': row({ tools: { plain }, permissions: { ask: ['plain'] } }, { interaction_pending: true }),
  'permissions that only deny': row({ tools: { plain }, permissions: { deny: ['plain'] } }, {}),
  'a tool that is performed outside': row({ tools: { plain, outside } }, { interaction_pending: true }),
  'one with a deadline': row(
    { tools: { outside: clientTool(outside, { deadline: '1h' }) } },
    { interaction_pending: true, gate_expired: true },
  ),
  'one of the AI SDK': row({ tools: { sdk: tool({ inputSchema: z.object({}) }) } }, { interaction_pending: true }),
  'a submit tool': row({ tools: { submit: submitTool() } }, { submitted: true }),
  'a tool that may submit': row({ tools: { hand: { execute: () => submit(1) } } }, { submitted: true }),
  'a tool that may halt': row({ tools: { stop: { execute: () => halt('enough') } } }, { halted: true }),
  'hooks that may stop the run': row(
    { hooks: { beforeModel: () => undefined } },
    { halted: true, plugin_requested: true },
  ),
  'hooks that only listen': row({ hooks: { name: 'listener', onEnd: () => undefined } }, {}),
  'hooks of any kind': row({ hooks: anyHooks }, { halted: true, plugin_requested: true }),
  'a compaction': row({ compaction: { contextWindow: 1000 } }, { compaction_failed: true }),
  'a compaction as it comes': row({ compaction: {} }, { compaction_failed: true }),
  'one condition': row({ stopWhen: loopDetection() }, { loop_detected: true }),
  'a quiet agent inside': row({ tools: { quiet: agentAsTool(quiet) } }, {}),
  'an agent inside that asks': row({ tools: { asking: agentAsTool(asking) } }, { interaction_pending: true }),
  'a guarded agent inside': row(
    { tools: { quiet: requireApproval(agentAsTool(quiet)) } },
    { interaction_pending: true },
  ),
  'a schema': row({ output }, { structured_output_exhausted: true }),
  'a schema without repair': row({ output, repair: false }, { schema_validation: true }),
  'a goal': row({ goal: goal(() => true) }, { completed: true }),
};

describe('possibleKinds says what the type of the result says', () => {
  it.each(Object.entries(rows))('with %s', (_name, { options, typed }) => {
    const added = possibleKinds(options).filter((kind) => !(baseKinds as readonly string[]).includes(kind));
    const hasFunction = Object.values(options.tools ?? {}).some(({ execute }) => execute !== undefined);
    // What a function gives is known to its type only.
    const expected = new Set(hasFunction ? [...typed, 'halted', 'submitted'] : typed);
    expect(new Set(added)).toEqual(expected);
    expect(new Set(defineAgent({ ...options, model, allowUnknownPrices: true }).kinds)).toEqual(
      new Set([...baseKinds, ...expected]),
    );
  });
});
