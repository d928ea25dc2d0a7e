import type { JsonObject } from '../termination/json.js';
import { jsonSchemaOf } from './schema/json-schema.js';
import { builtInStepTypes } from './steps/built-in-step-types.js';

/** The JSON Schema (2020-12) of workflow files, for editors and CI; it comes from the same tables as the loader. */
export function workflowJsonSchema(): JsonObject {
  return jsonSchemaOf(builtInStepTypes);
}
