import type { ToolLike, ToolSet } from '../../../agent/tools/tool.js';
import type { LanguageModel } from '../../../models/language-model.js';
import { StepProblem } from '../../machine/step-problem.js';
import type { AgentStep } from '../../schema/steps/agent.js';
import { limitOutput } from '../program/limit-output.js';
import type { StepContext } from '../runtime.js';
import { isMcpName } from './mcp.js';

/** The tools that a step may use: all of the file's unless it names some. */
export function toolNamesFor(step: AgentStep, ofFile: readonly string[]): readonly string[] {
  if (step.tools === undefined) return ofFile;
  const unknown = step.tools.filter((name) => !ofFile.includes(name) && !isMcpName(name));
  if (unknown.length === 0) return step.tools;
  const list = unknown.map((name) => `'${name}'`).join(', ');
  const known = ofFile.map((name) => `'${name}'`).join(', ');
  throw new StepProblem(
    'ValidationError',
    `Agent '${step.name}' has unknown tools: [${list}]; the file declares [${known}]`,
  );
}

interface Wanted {
  readonly names: readonly string[];
  readonly model: LanguageModel;
  readonly directory: string | undefined;
}

/** The tools themselves: those that the run was given, and those of the file's MCP servers. */
export async function agentTools(step: AgentStep, { runtime, context }: StepContext, wanted: Wanted): Promise<ToolSet> {
  const { environment } = runtime;
  const { mcp_servers: servers, tool_output: limits } = runtime.provider.document.workflow.runtime;
  const found = new Map<string, ToolLike>();
  for (const name of wanted.names) {
    const given = environment.tools?.[name];
    if (given !== undefined) found.set(name, given);
  }
  const useMcp = environment.mcp ?? wanted.model.provider !== 'scripted';
  if (useMcp && servers.size > 0 && step.tools?.length !== 0) {
    const offered = await runtime.mcp.tools(servers, wanted.directory ?? environment.workingDirectory, context.signal);
    for (const [name, tool] of offered) if (isOffered(step, name)) found.set(name, tool);
  }
  const limited = [...found].map(([name, tool]) => [name, limitOutput(tool, { name, limits, environment })] as const);
  return Object.fromEntries(limited);
}

function isOffered({ tools }: AgentStep, name: string): boolean {
  if (tools === undefined) return true;
  return tools.includes(name) || tools.includes(name.slice(name.indexOf('__') + 2));
}
