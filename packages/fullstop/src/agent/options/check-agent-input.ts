import { host } from '../../engines/port/host.js';
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
    const wrong = Array.isArray(content) ? content.findIndex((part) => !isUsablePart(part)) : -1;
    if (wrong >= 0) return `has ${foundPart((content as readonly unknown[])[wrong])} at [${index}].content[${wrong}]`;
  }
  return undefined;
}

/** False for what would fail only when the model is asked, such as files in the forms that other libraries have for them. */
function isUsablePart(part: unknown): boolean {
  if (!isObject(part)) return false;
  if (part['type'] === 'image') return false;
  return part['type'] !== 'file' || (typeof part['mediaType'] === 'string' && isFileData(part['data']));
}

function isFileData(data: unknown): boolean {
  if (!isObject(data)) return false;
  if (data['type'] === 'data') return typeof data['data'] === 'string';
  return data['type'] === 'url' && typeof data['url'] === 'string' && host.URL.canParse(data['url']);
}

function foundPart(part: unknown): string {
  const isFile = isObject(part) && (part['type'] === 'image' || part['type'] === 'file');
  if (!isFile) return found(part);
  return `${part['type'] === 'image' ? 'an image' : 'a file'} that is not { type: 'file', mediaType, data: { type: 'data', data: base64 } or { type: 'url', url } }`;
}
