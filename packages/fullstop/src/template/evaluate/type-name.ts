import { Dict } from '../dict.js';
import { Float, Markup, Tuple, Undefined, type Value } from '../value.js';

/** The full name of a value's Python type. */
function qualifiedName(value: Value): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'str';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    default:
      return objectName(value);
  }
}

function objectName(value: Exclude<Value, null | boolean | string | bigint | number | Value[]>): string {
  if (value instanceof Float) return 'float';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Markup) return 'markupsafe.Markup';
  if (value instanceof Undefined) return value.lenient ? 'jinja2.runtime.Undefined' : 'jinja2.runtime.StrictUndefined';
  return value.typeName;
}

/** The name of a value's Python type, as messages have it. */
export function typeName(value: Value): string {
  const name = qualifiedName(value);
  return name.slice(name.lastIndexOf('.') + 1);
}

/** How messages about missing attributes call a value. */
export function describeType(value: Value): string {
  return value === null ? 'None' : `${qualifiedName(value)} object`;
}
