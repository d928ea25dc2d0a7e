import type { AnyAgentOptions } from '../../agent/options/agent-options.js';
import type { ToolLike, ToolSet } from '../../agent/tools/tool.js';
import type { ScriptAnswer, ScriptUsage } from '../../models/scripted/script.js';

/** Offered where the agent has no tool that a scenario could call. */
const spare = 'stand_in';

const nothing: ScriptUsage = { inputTokens: 0, outputTokens: 0 };

/** An answer that calls a tool and reports this usage; none unless given, so that no budget is used by the way. */
export function callOf(tool: string, input: object = {}, usage: ScriptUsage = nothing): ScriptAnswer {
  return { toolCalls: [{ tool, input: input as Readonly<Record<string, number>> }], usage };
}

/** The tools of an agent that a scenario may call, by name; one of ours where it has none. */
export function toolNames({ tools = {}, permissions = {} }: AnyAgentOptions): readonly string[] {
  const denied = permissions.deny ?? [];
  const names = Object.keys(tools).filter((name) => !denied.includes(name));
  return names.length > 0 ? names : [spare];
}

/** Stands in for every tool of an agent: any input fits, nobody is asked, and `execute` is called instead of its own function. */
export function standInTools(options: AnyAgentOptions, execute: (input: object) => unknown): ToolSet {
  const standIn: ToolLike = { description: 'Stands in for a tool', inputSchema: { type: 'object' }, execute };
  return Object.fromEntries([...Object.keys(options.tools ?? {}), spare].map((name) => [name, standIn]));
}
