import { at, found } from '../../termination/check.js';
import { isObject } from '../../termination/json.js';

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: (value) => Array.isArray(value),
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: isObject,
  string: (value) => typeof value === 'string',
};

/**
 * Why a value does not fit a JSON Schema, as far as its `type`, `enum`, `required`, `properties` and `items` say; other
 * words are left to whoever asked.
 */
export function misfitOf(value: unknown, schema: unknown, path = 'value'): string | undefined {
  if (!isObject(schema) || (value === null && schema['nullable'] === true)) return undefined;
  const { type, enum: allowed, required, properties, items } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string' && each in kinds);
  if (types.length > 0 && !types.some((each: string) => kinds[each]?.(value)))
    return `its ${path} is ${found(value)}, not of type ${types.join(' or ')}`;
  if (Array.isArray(allowed) && !allowed.some((each) => JSON.stringify(each) === JSON.stringify(value)))
    return `its ${path} is ${found(value)}, not one of ${allowed.map((each) => JSON.stringify(each)).join(', ')}`;
  if (Array.isArray(value)) return findFirst(value, (item, index) => misfitOf(item, items, at(path, index)));
  if (!isObject(value)) return undefined;
  const missing = Array.isArray(required) ? required.find((name) => !Object.hasOwn(value, String(name))) : undefined;
  if (missing !== undefined) return `its ${at(path, String(missing))} is missing`;
  const known = Object.entries(isObject(properties) ? properties : {});
  return findFirst(known, ([name, inner]) =>
    Object.hasOwn(value, name) ? misfitOf(value[name], inner, at(path, name)) : undefined,
  );
}

function findFirst<T>(items: readonly T[], find: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const misfit = find(item, index);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}
