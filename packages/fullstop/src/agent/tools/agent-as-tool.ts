import { checkOptions, invalidOption, oneWord } from '../../stop/check-option.js';
import type { Duration } from '../../stop/duration.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import type { Agent } from '../agent.js';
import type { AgentInput } from '../options/agent-options.js';
import type { ContextNeeding } from '../options/context.js';
import { asSpawning, runSpawnedAgent } from './spawned-agent.js';
import type { ToolLike } from './tool.js';
import { withNeeds } from './unit-context.js';
import { asUnit, depthOf, type RunUnit, runInside } from './unit-tool.js';

/** Options of `agentAsTool`: how the agent looks to the model that calls it. */
export interface AgentAsToolOptions {
  readonly description?: string;
  /** How long a call may take; the agent then ends as `time_budget`, and its ending is the result of the call. */
  readonly timeout?: Duration;
  /**
   * With `queue` each call is a run of its own, which a worker takes from a queue where the engine has queues. It gets its prompt and nothing else: a
   * context comes from its own definition.
   */
  readonly spawn?: 'queue';
}

/** An agent as a tool of another; it asks people if its agent does, and needs the context that its agent needs. */
export type AgentTool<TEnding extends Ending, TContext = unknown> = {
  readonly description: string;
  readonly inputSchema: unknown;
  readonly agent: string;
} & ContextNeeding<TContext> &
  ('interaction_pending' extends TEnding['kind'] ? { readonly needsApproval: false } : unknown);

const promptSchema = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'What the agent is to do, with all it has to know.' } },
  required: ['prompt'],
};

/** How deep agents may be nested. */
const deepest = 8;

/**
 * Makes an agent a tool of another one. It runs as a unit inside that run: one journal, shared budgets, its ending whole in
 * the result of the call, and what it asks people is asked by its parent. It gets the context of its parent.
 */
export function agentAsTool<TEnding extends Ending, TContext = unknown>(
  agent: Agent<TEnding, unknown, TContext>,
  options: AgentAsToolOptions = {},
): AgentTool<TEnding, TContext> {
  const { description, timeout, spawn } = checkOptions(options, 'agentAsTool', ['description', 'timeout', 'spawn']);
  if (spawn !== undefined) oneWord(spawn, { builder: 'agentAsTool', option: 'spawn' }, ['queue']);
  if (!isObject(agent) || !Array.isArray(agent.kinds))
    throw invalidOption(agent, { builder: 'agentAsTool', option: 'agent' }, 'the result of defineAgent(…)');
  const pauses = agent.kinds.includes('interaction_pending');
  const tool: ToolLike = {
    description: description ?? `Asks the agent ${agent.name}.`,
    // Told, not checked: whatever else the model hands over is a prompt too.
    inputSchema: { jsonSchema: promptSchema },
    agent: agent.name,
    ...(pauses && { needsApproval: false, pauses }),
    ...(timeout !== undefined && { timeout }),
  };
  const run: RunUnit = (context, input, timeMs) => {
    refuseTooDeep(context, agent.name);
    const prompt = promptOf(input);
    return spawn === undefined
      ? runInside(agent, context, prompt, timeMs)
      : runSpawnedAgent(agent, context, { prompt, timeMs });
  };
  const made =
    spawn === undefined ? asUnit(withNeeds(tool, agent), run, agent) : asSpawning(asUnit(tool, run, agent), agent);
  return made as unknown as AgentTool<TEnding, TContext>;
}

/** Refuses an agent inside too many others, which would hand over or ask one another for ever. */
export function refuseTooDeep(context: object, agent: string): void {
  if (depthOf(context) <= deepest) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `Agents stand ${deepest} deep in one another; ${agent} is not asked any more.`,
  );
}

function promptOf(input: unknown): AgentInput {
  if (isObject(input) && typeof input['prompt'] === 'string') return input['prompt'];
  return typeof input === 'string' ? input : JSON.stringify(input);
}
