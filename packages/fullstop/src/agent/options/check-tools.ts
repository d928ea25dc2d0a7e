import { invalidOption, trueOrFalse } from '../../stop/check-option.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import { isStorable } from '../../termination/text/storable-text.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { ToolLike } from '../tools/tool.js';

/** Every field of a tool; a new one that is not listed here does not compile. */
const fields: Readonly<Record<keyof ToolLike, true>> = {
  agent: true,
  approval: true,
  args: true,
  client: true,
  contextSchema: true,
  description: true,
  execute: true,
  handsOff: true,
  id: true,
  idempotent: true,
  inputSchema: true,
  needsApproval: true,
  needsContext: true,
  outputSchema: true,
  pauses: true,
  readOnly: true,
  strict: true,
  submits: true,
  timeout: true,
  toModelOutput: true,
  type: true,
};

const names = Object.keys(fields);

/** The other fields of tools of the AI SDK and of MCP servers; more may come, and are left alone unless they look like one of ours. */
const foreign: ReadonlySet<string> = new Set([
  '_meta',
  'annotations',
  'inputExamples',
  'isProviderExecuted',
  'metadata',
  'name',
  'onInputAvailable',
  'onInputDelta',
  'onInputStart',
  'providerOptions',
  'supportsDeferredResults',
  'title',
]);

/** Names that other libraries have for our fields; such a tool would do something else here than it says. */
const otherWords: Readonly<Record<string, keyof ToolLike>> = {
  func: 'execute',
  handler: 'execute',
  invoke: 'execute',
  parameters: 'inputSchema',
  requireApproval: 'needsApproval',
  run: 'execute',
  schema: 'inputSchema',
};

const builder = 'defineAgent';

/** Refuses tools that would not do what their fields say. */
export function checkTools(tools: unknown): void {
  if (!isObject(tools)) throw invalidOption(tools, { builder, option: 'tools' }, 'an object of tools by name');
  for (const [name, tool] of Object.entries(tools)) {
    // It is part of the keys of its calls.
    if (!isStorable(name))
      throw invalidOption(
        name,
        { builder, option: 'a name in tools' },
        'a text without NUL and without half of a surrogate pair',
      );
    if (!isObject(tool)) throw invalidOption(tool, { builder, option: `tools.${name}` }, 'a tool, such as { execute }');
    checkTool(name, tool);
  }
}

function checkTool(name: string, tool: Readonly<Record<string, unknown>>): void {
  const { execute, needsApproval, needsContext } = tool;
  if (typeof tool['within'] === 'function' && typeof execute === 'function')
    throw new FullstopError('INVALID_OPTION', `${builder}: tools.${name} is an agent; write agentAsTool(${name}).`);
  for (const field of Object.keys(tool)) checkField(name, tool, field);
  if (execute !== undefined && typeof execute !== 'function')
    throw invalidOption(execute, { builder, option: `tools.${name}.execute` }, 'a function');
  // What is neither would be taken for a no.
  if (needsApproval !== undefined && typeof needsApproval !== 'boolean' && typeof needsApproval !== 'function')
    throw invalidOption(needsApproval, { builder, option: `tools.${name}.needsApproval` }, 'true, false or a function');
  if (needsContext !== undefined) trueOrFalse(needsContext, { builder, option: `tools.${name}.needsContext` });
}

/** An approval under a misspelt name would ask nobody, and a tool without `execute` waits for someone outside. */
function checkField(name: string, tool: Readonly<Record<string, unknown>>, field: string): void {
  if (Object.hasOwn(fields, field) || foreign.has(field) || tool[field] === undefined) return;
  const meant = Object.hasOwn(otherWords, field) ? otherWords[field] : undefined;
  const isOther = meant !== undefined && tool[meant] === undefined;
  const hint = isOther ? ` (here it is ${JSON.stringify(meant)})` : suggestion(field, names);
  if (hint === '') return;
  throw new FullstopError(
    'INVALID_OPTION',
    `${builder}: tools.${name} has no field ${JSON.stringify(field)}${hint}; there are ${names.join(', ')}.`,
  );
}
