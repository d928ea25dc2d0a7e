import { checkOptions, invalidOption } from '../../stop/check-option.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import { isObject } from '../../termination/json.js';
import type { Agent } from '../agent.js';
import type { AgentInput } from '../options/agent-options.js';
import { refuseTooDeep } from './agent-as-tool.js';
import type { ToolLike, ToolSet } from './tool.js';
import { asUnit, type RunUnit, runInside } from './unit-tool.js';

/** Options of `handOff`: how the other agent looks to the model. */
export interface HandOffOptions {
  /** When the model is to hand over; the name of the agent unless given. */
  readonly description?: string;
}

/** A tool with which the model hands the conversation over; the run can then end as the other agent can. */
export type HandOffTool<TEnding extends Ending, TOutput = unknown> = {
  readonly description: string;
  readonly inputSchema: unknown;
  readonly agent: string;
  readonly handsOff: true;
  /** Never there: it tells the compiler how the run can end. */
  readonly '~ends'?: { readonly termination: TEnding; readonly output: TOutput };
} & ('interaction_pending' extends TEnding['kind'] ? { readonly needsApproval: false } : unknown);

const reasonSchema = {
  type: 'object',
  properties: {
    reason: { type: 'string', description: 'Why the conversation is handed over, and what is to be done.' },
  },
};

const target: unique symbol = Symbol.for('fullstop.hand-off') as never;

/**
 * Makes a tool with which the model hands the conversation over to another agent. That one continues it as a unit inside the
 * run, and its ending is the run's ending; its own is among the children.
 *
 * @example
 * const triage = defineAgent({ name: 'triage', model, tools: { billing: handOff(billing), support: handOff(support) } });
 */
export function handOff<TEnding extends Ending, TOutput>(
  agent: Agent<TEnding, TOutput>,
  options: HandOffOptions = {},
): HandOffTool<TEnding, TOutput> {
  const { description } = checkOptions(options, 'handOff', ['description']);
  if (!isObject(agent) || !Array.isArray(agent.kinds))
    throw invalidOption(agent, { builder: 'handOff', option: 'agent' }, 'the result of defineAgent(…)');
  const pauses = agent.kinds.includes('interaction_pending');
  const tool: ToolLike = {
    description: description ?? `Hands the conversation over to the agent ${agent.name}, who continues it.`,
    // Told, not checked: whatever the model says about it is in the conversation.
    inputSchema: { jsonSchema: reasonSchema },
    agent: agent.name,
    handsOff: true,
    ...(pauses && { needsApproval: false, pauses }),
  };
  const run: RunUnit = (context, conversation, timeMs) => {
    refuseTooDeep(context, agent.name);
    return runInside(agent, context, conversation as unknown as AgentInput, timeMs);
  };
  return { ...asUnit(tool, run, agent), [target]: agent } as unknown as HandOffTool<TEnding, TOutput>;
}

/** The agents to which tools hand over, by the names of the tools. */
export function handOffTargets(tools: ToolSet): ReadonlyMap<string, Agent> {
  const entries = Object.entries(tools).map(
    ([name, tool]) => [name, (tool as { readonly [target]?: Agent })[target]] as const,
  );
  return new Map(entries.filter((entry): entry is [string, Agent] => entry[1] !== undefined));
}

/** The kinds of their own that agents have to which tools hand over: the run may end with them. */
export function handedTerminations(tools: ToolSet): readonly AnyTerminationDefinition[] {
  return [...handOffTargets(tools).values()].flatMap(({ terminations }) => terminations);
}
