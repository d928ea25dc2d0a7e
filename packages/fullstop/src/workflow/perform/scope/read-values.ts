import { Dict } from '../../../template/dict.js';
import { valueToJson } from '../../../template/json-text.js';
import type { Reference } from '../../../template/reference.js';
import type { Scope } from '../../../template/scope.js';
import type { Value } from '../../../template/value.js';
import type { JsonObject, JsonValue } from '../../../termination/json.js';

const mostValues = 8;
const longestText = 200;

/** The values that a condition read, by its names for them: evidence for `why`. */
export function readValues(references: readonly Reference[], scope: Scope): JsonObject {
  const values: Record<string, JsonValue> = {};
  for (const { root, path } of references.slice(0, mostValues)) {
    const found = valueAt(scope, root, path);
    if (found !== undefined) values[[root, ...path].join('.')] = shortened(found);
  }
  return values;
}

function valueAt(scope: Scope, root: string, path: readonly string[]): Value | undefined {
  let current = scope.lookup(root) ?? flattened(scope, root);
  for (const part of path) {
    if (!(current instanceof Dict)) return undefined;
    current = current.getText(part);
  }
  return current;
}

/** Plain conditions name a field of the current output directly, and a member of another name with an underscore. */
function flattened(scope: Scope, name: string): Value | undefined {
  const output = scope.lookup('output');
  const own = output instanceof Dict ? output.getText(name) : undefined;
  if (own !== undefined) return own;
  for (let index = name.indexOf('_'); index > 0; index = name.indexOf('_', index + 1)) {
    const outer = scope.lookup(name.slice(0, index));
    const inner = outer instanceof Dict ? outer.getText(name.slice(index + 1)) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Evidence is for reading: a large value is named, not copied. */
function shortened(value: Value): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  if (Array.isArray(value)) return `[${value.length} items]`;
  if (value instanceof Dict) return `{${value.size} members}`;
  return valueToJson(value);
}
