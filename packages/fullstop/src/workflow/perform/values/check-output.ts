import { Dict } from '../../../template/dict.js';
import { Float, type Value } from '../../../template/value.js';
import type { Violation } from '../../../termination/kinds/validation.js';
import type { OutputField } from '../../schema/record-types.js';
import { hasType } from './has-type.js';
import { matchesPattern } from './pattern.js';

type Fields = ReadonlyMap<string, OutputField>;

/** The violations of an output, measured by the fields that it must have; members that nobody declared may be there. */
export function checkOutput(value: Value, fields: Fields): readonly Violation[] {
  if (!(value instanceof Dict)) {
    return [{ path: '', message: `Output has wrong type: expected object, got ${typeName(value)}` }];
  }
  const violations: Violation[] = [];
  for (const [name, field] of fields) {
    const member = value.getText(name);
    if (member === undefined) violations.push({ path: name, message: `Missing required output field: ${name}` });
    else checkField(member, field, { path: name, name, label: `Output field '${name}'`, violations });
  }
  return violations;
}

/** Takes a scalar out of a mapping with just that in it, which models like to return instead. */
export function unwrapScalars(value: Value, fields: Fields): Value {
  if (!(value instanceof Dict)) return value;
  let result = value;
  for (const [name, { type }] of fields) {
    const member = value.getText(name);
    if (type === 'object' || type === 'array' || !(member instanceof Dict) || member.size !== 1) continue;
    const inner = member.getText('value') ?? member.getText('result') ?? member.getText(name);
    if (inner === undefined) continue;
    if (result === value) result = value.copy();
    result.setText(name, inner);
  }
  return result;
}

interface Place {
  readonly path: string;
  readonly name: string;
  readonly label: string;
  readonly violations: Violation[];
}

function checkField(value: Value, field: OutputField, place: Place): void {
  const complain = (message: string): void => {
    place.violations.push({ path: place.path, message: `${place.label} ${message}` });
  };
  if (value === null) {
    if (!field.nullable) complain('must not be null');
    return;
  }
  if (!hasType(value, field.type)) {
    complain(`has wrong type: expected ${field.type}, got ${typeName(value)}`);
    return;
  }
  checkConstraints(value, field, complain);
  if (Array.isArray(value) && field.items !== undefined) checkItems(value, field.items, place);
  if (value instanceof Dict && field.properties !== undefined) checkProperties(value, field.properties, place);
}

function checkItems(items: readonly Value[], field: OutputField, { path, name, violations }: Place): void {
  for (const [index, item] of items.entries()) {
    checkField(item, field, { path: `${path}[${index}]`, label: `Array item ${index} in '${name}'`, name, violations });
  }
}

function checkProperties(value: Dict, fields: Fields, { path, violations }: Place): void {
  for (const [name, field] of fields) {
    const inner = `${path}.${name}`;
    const member = value.getText(name);
    if (member !== undefined)
      checkField(member, field, { path: inner, name, label: `Output field '${name}'`, violations });
    else if (field.required) violations.push({ path: inner, message: `Missing required output field: ${name}` });
  }
}

function checkConstraints(value: Value, field: OutputField, complain: (message: string) => void): void {
  const { minimum, maximum, minLength, maxLength, pattern } = field;
  const number = numberOf(value);
  if (field.enum !== undefined && !field.enum.some((allowed) => isSame(value, allowed))) {
    complain(`must be one of ${field.enum.map((each) => JSON.stringify(each)).join(', ')}`);
  }
  if (number !== undefined && minimum !== undefined && number < minimum) complain(`is below minimum ${minimum}`);
  if (number !== undefined && maximum !== undefined && number > maximum) complain(`is above maximum ${maximum}`);
  if (typeof value !== 'string') return;
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (minLength !== undefined && length < minLength) complain(`is shorter than minLength ${minLength}`);
  if (maxLength !== undefined && length > maxLength) complain(`is longer than maxLength ${maxLength}`);
  if (pattern !== undefined && !matchesPattern(pattern, value)) complain(`does not match pattern '${pattern}'`);
}

function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Float ? value.value : undefined;
}

function isSame(value: Value, allowed: string | number | boolean): boolean {
  return typeof allowed === 'number' ? numberOf(value) === allowed : value === allowed;
}

function typeName(value: Value): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Dict) return 'object';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value;
  return 'number';
}
