import { misfitOf } from '../../engines/port/json-misfit.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import type { Violation } from '../../termination/kinds/validation.js';
import { type SchemaResult, type StandardSchema, schemaPath } from '../../termination/standard-schema.js';

/** A value, checked against a schema. */
export type CheckedValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** A schema in whatever form it was given. */
export interface ReadSchema {
  /** The schema for the model; undefined when it cannot be written as JSON Schema. */
  jsonSchema(): JsonObject | undefined | PromiseLike<JsonObject | undefined>;
  check(value: unknown): CheckedValue | PromiseLike<CheckedValue>;
}

const anything: JsonObject = { type: 'object', properties: {} };

/**
 * Reads a Standard Schema, a schema of the AI SDK (a lazy one too), or plain JSON Schema, of which types, required members and
 * enumerations are checked.
 */
export function readSchema(schema: unknown, where: string): ReadSchema {
  const given = typeof schema === 'function' && !('~standard' in schema) ? (schema as () => unknown)() : schema;
  if (given === undefined) return { jsonSchema: () => anything, check: accept };
  if ((isObject(given) || typeof given === 'function') && '~standard' in given)
    return readStandard(given as unknown as StandardSchema, where);
  if (!isObject(given)) throw invalid(where, given);
  if ('jsonSchema' in given) return readAiSdk(given);
  return { jsonSchema: () => given as JsonObject, check: (value) => checkJson(value, given as JsonObject) };
}

function checkJson(value: unknown, schema: JsonObject): CheckedValue {
  const misfit = misfitOf(value, schema);
  if (misfit === undefined) return { ok: true, value };
  return { ok: false, violations: [{ path: '', message: misfit.replace(/^its /, '') }] };
}

function accept(value: unknown): CheckedValue {
  return { ok: true, value };
}

interface JsonSchemaSource {
  readonly jsonSchema?: { input?(options: { readonly target: string }): unknown };
}

/** Servers define the same agent for every request; converting its schemas would take most of that time. */
const converted = new WeakMap<object, JsonObject>();

function readStandard(schema: StandardSchema, where: string): ReadSchema {
  const standard = schema['~standard'];
  return {
    jsonSchema() {
      const known = converted.get(schema);
      if (known !== undefined) return known;
      const convert = (standard as unknown as JsonSchemaSource).jsonSchema?.input;
      if (convert === undefined) return undefined;
      try {
        const json = JSON.parse(JSON.stringify(convert({ target: 'draft-07' }))) as JsonObject;
        converted.set(schema, json);
        return json;
      } catch (error) {
        throw unwritable(where, error);
      }
    },
    check(value) {
      const result = standard.validate(value);
      return 'then' in result ? result.then(toChecked) : toChecked(result);
    },
  };
}

function toChecked(result: SchemaResult<unknown>): CheckedValue {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, violations: result.issues.map((issue) => ({ path: schemaPath(issue), message: issue.message })) };
}

/** The violations of a value, in one line. */
export function violationText(violations: readonly Violation[]): string {
  return violations.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

function readAiSdk(schema: Readonly<Record<string, unknown>>): ReadSchema {
  const validate = schema['validate'] as ((value: unknown) => unknown) | undefined;
  return {
    jsonSchema: () => schema['jsonSchema'] as JsonObject | PromiseLike<JsonObject>,
    async check(value) {
      const result = await validate?.(value);
      if (!isObject(result) || result['success'] !== false) {
        return { ok: true, value: isObject(result) && 'value' in result ? result['value'] : value };
      }
      const message = isObject(result['error']) ? String(result['error']['message']) : 'the value does not fit';
      return { ok: false, violations: [{ path: '', message }] };
    },
  };
}

/** The first JSON value in a text: models put it into fences or sentences. */
export function parseOutput(text: string): { readonly value: JsonValue } | undefined {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(text)?.[1];
  for (const candidate of [text, ...(fenced === undefined ? [] : [fenced])]) {
    try {
      return { value: JSON.parse(candidate) as JsonValue };
    } catch {
      // Not JSON: maybe the next candidate is.
    }
  }
  return undefined;
}

function unwritable(where: string, cause: unknown): FullstopError {
  return new FullstopError('INVALID_OPTION', `${where} cannot be written as JSON Schema.`, { cause });
}

function invalid(where: string, value: unknown): FullstopError {
  return new FullstopError(
    'INVALID_OPTION',
    `${where} is ${found(value)}; it must be a Standard Schema, a schema of the AI SDK, or JSON Schema.`,
  );
}
