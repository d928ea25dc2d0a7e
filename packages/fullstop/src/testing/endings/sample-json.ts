import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';

/** Deeper than this only schemas go that refer to themselves. */
const deepest = 12;

/** A small value for a JSON Schema: what it requires, and nothing else. Whether it fits is for the schema to say. */
export function sampleJson(schema: unknown, depth = 0): JsonValue {
  if (!isObject(schema) || depth > deepest) return {};
  const { const: only, enum: words, default: usual, examples } = schema as JsonObject;
  for (const given of [only, usual, firstOf(examples), firstOf(words)]) if (given !== undefined) return given;
  const branch = firstOf(schema['anyOf']) ?? firstOf(schema['oneOf']);
  if (branch !== undefined) return sampleJson(branch, depth + 1);
  if (Array.isArray(schema['allOf'])) return sampleJson(Object.assign({}, ...schema['allOf']), depth + 1);
  const type = firstOf(schema['type']) ?? schema['type'];
  return type === 'object' || isObject(schema['properties'])
    ? sampleObject(schema, depth)
    : sampleOfType(type, schema, depth);
}

function sampleObject(schema: Readonly<Record<string, unknown>>, depth: number): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : [];
  return Object.fromEntries(required.map((name) => [name, sampleJson(properties[name], depth + 1)]));
}

function sampleOfType(type: unknown, schema: Readonly<Record<string, unknown>>, depth: number): JsonValue {
  switch (type) {
    case 'array': {
      const length = numberOf(schema['minItems']) ?? 0;
      return Array.from({ length }, () => sampleJson(schema['items'], depth + 1));
    }
    case 'string':
      return sampleText(schema);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return {};
  }
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function sampleText({ format, minLength }: Readonly<Record<string, unknown>>): string {
  const known = typeof format === 'string' ? formats[format] : undefined;
  return known ?? 'sample'.padEnd(numberOf(minLength) ?? 0, '-');
}

function sampleNumber(schema: Readonly<Record<string, unknown>>): number {
  const above = numberOf(schema['exclusiveMinimum']);
  const below = numberOf(schema['exclusiveMaximum']);
  const least = numberOf(schema['minimum']) ?? (above === undefined ? undefined : above + 1);
  const most = numberOf(schema['maximum']) ?? (below === undefined ? undefined : below - 1);
  return least ?? Math.min(1, most ?? 1);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function firstOf(value: unknown): JsonValue | undefined {
  return Array.isArray(value) ? (value[0] as JsonValue | undefined) : undefined;
}
