import { valueFromJson } from '../../../template/json-text.js';
import type { Value } from '../../../template/value.js';
import { category } from '../../../termination/classify.js';
import { isObject, type JsonObject, type JsonValue } from '../../../termination/json.js';
import { rootCause } from '../../../termination/root-cause.js';
import type { CaughtFailure } from '../../machine/state.js';

/** The failed unit's ending and error, for error routes and for the steps after them. */
export function errorNames({ failure, step }: CaughtFailure): ReadonlyMap<string, Value> {
  const { termination, error, unit } = failure;
  const ending = (unit?.termination ?? termination) as unknown as JsonObject;
  const described: JsonObject = {
    type: error.name,
    message: error.message,
    step,
    kind: rootCause(termination).kind,
    category: category(termination),
    ...(error.code !== undefined && { code: error.code }),
  };
  return new Map<string, Value>([
    ['ending', valueFromJson(withoutUndefined(ending))],
    ['error', valueFromJson(described)],
  ]);
}

function withoutUndefined(value: JsonValue): JsonValue {
  return isObject(value) ? (JSON.parse(JSON.stringify(value)) as JsonValue) : value;
}
