import { valueFromJson, valueToJson } from '../../../template/json-text.js';
import type { JsonObject, JsonValue } from '../../../termination/json.js';
import type { StandardSchema } from '../../../termination/standard-schema.js';
import type { OutputField } from '../../schema/record-types.js';
import { checkOutput, unwrapScalars } from '../values/check-output.js';

type Fields = ReadonlyMap<string, OutputField>;

/** The output fields of an agent as a schema that the agent loop can show the model and check answers by. */
export function outputSchema(fields: Fields): StandardSchema {
  const jsonSchema = { input: () => objectSchema(fields) };
  return {
    '~standard': {
      version: 1,
      vendor: 'fullstop-workflow',
      validate(value) {
        const given = unwrapScalars(valueFromJson(value as JsonValue), fields);
        const violations = checkOutput(given, fields);
        if (violations.length === 0) return { value: valueToJson(given) };
        return {
          issues: violations.map(({ path, message }) => ({ message, path: path === '' ? [] : path.split('.') })),
        };
      },
      ...({ jsonSchema } as object),
    },
  };
}

function objectSchema(fields: Fields): JsonObject {
  const required = [...fields].flatMap(([name, field]) => (field.required ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries([...fields].map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function fieldSchema(field: OutputField): JsonObject {
  const { type, description, items, properties, pattern, minimum, maximum, minLength, maxLength } = field;
  const inner = type === 'object' && properties !== undefined ? objectSchema(properties) : {};
  return {
    ...inner,
    type: field.nullable ? [type, 'null'] : type,
    ...(description !== undefined && { description }),
    ...(items !== undefined && { items: fieldSchema(items) }),
    ...(field.enum !== undefined && { enum: [...field.enum] }),
    ...(pattern !== undefined && { pattern }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
  };
}
