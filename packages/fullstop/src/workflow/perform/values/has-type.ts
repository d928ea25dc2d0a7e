import { Dict } from '../../../template/dict.js';
import { isFloat, isInt, type Value } from '../../../template/value.js';
import { assertNever } from '../../../termination/assert-never.js';
import type { InputDefinition, OutputField } from '../../schema/record-types.js';

/** True when a value is of a type that inputs and outputs declare. */
export function hasType(value: Value, type: InputDefinition['type'] | OutputField['type']): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return isInt(value) || isFloat(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return value instanceof Dict;
    default:
      return assertNever('Unknown type', type);
  }
}
