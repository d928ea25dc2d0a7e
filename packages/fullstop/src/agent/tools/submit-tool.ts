import { checkOptions } from '../../stop/check-option.js';
import type { JsonValue } from '../../termination/json.js';
import type { StandardSchema } from '../../termination/standard-schema.js';
import { submit } from '../options/directive.js';
import type { SubmitTool } from './tool.js';

/** Options of `submitTool`. */
export interface SubmitToolOptions {
  /** The schema of the result: a Standard Schema, a schema of the AI SDK, or JSON Schema; any object unless given. */
  readonly schema?: StandardSchema | object;
  readonly description?: string;
}

/** A tool with which the model hands in its result and ends the run as `submitted`. It sees which arguments do not fit. */
export function submitTool(options: SubmitToolOptions = {}): SubmitTool {
  const { schema, description } = checkOptions(options, 'submitTool', ['schema', 'description']);
  return {
    description: description ?? 'Hand in the final result. This ends the task.',
    inputSchema: schema ?? { type: 'object', additionalProperties: true },
    submits: true,
    execute: (input: JsonValue) => submit(input),
  };
}
