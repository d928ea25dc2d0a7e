import { assertNever } from '../../termination/assert-never.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { Step } from './document.js';
import type { Field, Fields, NumberField, RecordName } from './field.js';
import { type RecordTable, recordTables } from './record-tables.js';
import { usualType } from './step-keys.js';
import type { StepShape } from './steps/step-shape.js';
import { fieldOf, type ShapeRow, type StepTable } from './steps/step-table.js';
import { root } from './workflow-records.js';

/** The JSON Schema (2020-12) of workflow files, for editors and CI; it comes from the same tables as the loader. */
export function jsonSchemaOf(table: StepTable<ShapeRow>): JsonObject {
  const records = Object.entries(recordTables).map(([name, table]) => [name, objectSchema(table)] as const);
  const steps = table.rows.map(({ shape }) => [stepDefinition(shape.type), stepSchema(shape, table.fields)] as const);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Fullstop workflow',
    description: 'A workflow file: steps, groups and the routes between them.',
    ...objectSchema({ fields: root, unknownKeys: 'error' }),
    $defs: Object.fromEntries([...records, ['Step', anyStep(table.names)], ...steps]),
  };
}

function stepDefinition(type: string): string {
  const words = type.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Step`;
}

/** Chooses by `type`, so that an editor shows the problems of that type only; a step without type is an agent. */
function anyStep(names: readonly string[]): JsonObject {
  const branch = (type: string): JsonObject => ({
    if: { properties: { type: { const: type } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: `#/$defs/${stepDefinition(type)}` },
  });
  const untyped: JsonObject = {
    if: { anyOf: [{ not: { required: ['type'] } }, { properties: { type: { type: 'null' } } }] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: `#/$defs/${stepDefinition(usualType)}` },
  };
  const type = { enum: [...names, null], default: usualType, description: 'What kind of step this is.' };
  return { type: 'object', properties: { type }, allOf: [...names.map(branch), untyped] };
}

function stepSchema(shape: StepShape<Step>, all: Fields): JsonObject {
  const { type, description } = shape;
  const { required, optional, ignored } = shape.keys;
  const own: readonly string[] = [...required, ...optional, ...ignored];
  const fields: Fields = Object.fromEntries(
    Object.entries(all).flatMap(([key, field]) => (own.includes(key) ? [[key, fieldOf(shape, key) ?? field]] : [])),
  );
  const base = objectSchema({ fields, unknownKeys: 'error' });
  const properties = Object.fromEntries(
    Object.entries(base['properties'] as JsonObject).map(([key, schema]) => [
      key,
      required.includes(key) ? filled(fieldSchema(fields[key] as Field)) : schema,
    ]),
  );
  const isUsual = type === usualType;
  const typeSchema: JsonObject = isUsual ? { enum: [type, null] } : { const: type };
  return {
    ...base,
    description,
    required: isUsual ? [...required] : ['type', ...required],
    properties: { type: typeSchema, ...properties },
  };
}

/** A key that a step requires must hold something. */
function filled(schema: JsonObject): JsonObject {
  if (schema['type'] === 'string') return { ...schema, minLength: 1 };
  return schema['type'] === 'array' ? { ...schema, minItems: 1 } : schema;
}

function objectSchema({ fields, unknownKeys }: RecordTable): JsonObject {
  const properties = Object.entries(fields).map(([key, field]) => [key, optionalSchema(field)] as const);
  const required = Object.entries(fields).flatMap(([key, field]) => (field.required ? [key] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(unknownKeys === 'error' ? { additionalProperties: false } : {}),
  };
}

function optionalSchema(field: Field): JsonObject {
  const schema = fieldSchema(field);
  const mayBeNull = field.or_null || (!field.required && field.default === undefined);
  if (!mayBeNull || field.type === 'json') return schema;
  const { description, ...rest } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: 'null' }] };
}

function fieldSchema(field: Field): JsonObject {
  const description = field.description === undefined ? {} : { description: field.description };
  const fallback = field.default === undefined ? {} : { default: field.default as JsonValue };
  return { ...description, ...typeSchema(field), ...fallback };
}

const template: JsonObject = { type: 'string', pattern: '\\{[{%]' };

function typeSchema(field: Field): JsonObject {
  switch (field.type) {
    case 'string':
    case 'template':
    case 'condition':
      return field.not_blank ? { type: 'string', pattern: '\\S' } : { type: 'string' };
    case 'integer':
    case 'number':
      return numberSchema(field);
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return field.or_template ? { anyOf: [{ enum: field.choices }, template] } : { enum: field.choices };
    case 'duration':
      return {
        anyOf: [
          { type: 'number', minimum: 0 },
          { type: 'string', pattern: '^\\s*\\d+(\\.\\d+)?\\s*(ms|s|m|h)?\\s*$' },
          template,
        ],
      };
    case 'scalar':
      return { type: ['string', 'number', 'boolean'] };
    case 'json':
      return {};
    case 'step':
      return { $ref: '#/$defs/Step' };
    default:
      return compositeSchema(field);
  }
}

function compositeSchema(field: Extract<Field, { readonly type: 'list' | 'map' | 'record' }>): JsonObject {
  switch (field.type) {
    case 'list': {
      const list: JsonObject = {
        type: 'array',
        items: fieldSchema(field.of),
        ...(field.at_least === undefined ? {} : { minItems: field.at_least }),
      };
      return field.or_single ? { anyOf: [fieldSchema(field.of), list] } : list;
    }
    case 'map':
      return { type: 'object', additionalProperties: fieldSchema(field.of) };
    case 'record':
      return field.text_as === undefined ? reference(field.of) : { anyOf: [{ type: 'string' }, reference(field.of)] };
    default:
      return assertNever('Unknown type of field', field);
  }
}

function reference(name: RecordName): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

function numberSchema({ type, minimum, maximum, above }: NumberField): JsonObject {
  return {
    type,
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
  };
}
