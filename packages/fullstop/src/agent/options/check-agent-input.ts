import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import type { AgentInput } from './agent-options.js';

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

/** Refuses what no model can be asked, before a run is made of it. */
export function checkAgentInput(input: unknown, agent: string): asserts input is AgentInput {
  const problem = problemOf(input);
  if (problem === undefined) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `What the agent ${JSON.stringify(agent)} is asked ${problem}; it must be a text, or a list of messages { role, content }.`,
  );
}

export function isAgentInput(input: unknown): input is AgentInput {
  return problemOf(input) === undefined;
}

/** The reason why a value cannot be asked of a model, as the rest of a sentence; undefined when there is none. */
export function problemOf(input: unknown): string | undefined {
  if (typeof input === 'string') return undefined;
  if (!Array.isArray(input)) return `is ${found(input)}`;
  for (const [index, message] of input.entries()) {
    if (!isObject(message)) return `has ${found(message)} at [${index}]`;
    const { role, content } = message;
    if (!roles.includes(role)) return `has a message at [${index}] whose role is ${found(role)}`;
    if (typeof content !== 'string' && !Array.isArray(content))
      return `has a message at [${index}] whose content is ${found(content)}`;
  }
  return undefined;
}
