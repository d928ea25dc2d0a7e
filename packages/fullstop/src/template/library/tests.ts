import { Dict } from '../dict.js';
import { iteratorOf } from '../evaluate/iterate.js';
import { type Test, test } from '../filters/filter.js';
import { filterNames } from '../filters/filter-names.js';
import { binary } from '../operators/arithmetic.js';
import { compareOrder, contains, dictKey, equals, type Ordering } from '../operators/compare.js';
import { toText } from '../text/python-text.js';
import { isFloat, isInt, isText, Markup, ObjectValue, Tuple, textOf, Undefined, type Value } from '../value.js';
import type { Bound } from './signature.js';
import { textKinds } from './text-kinds.js';

function modulo(value: Value, by: Value, result: number): boolean {
  return equals(binary('%', value, by), result);
}

function equality(wanted: boolean): Test {
  return test(wanted ? 'eq' : 'ne', 'a b', ([a = null, b = null]) => equals(a, b) === wanted);
}

function ordering(operator: Ordering): Test {
  return test(operator, 'a b', ([a = null, b = null]) => compareOrder(operator, a, b));
}

function kind(name: string, holds: (value: Value) => boolean): Test {
  return test(name, 'value', ([value = null]) => holds(value));
}

function isSequence(value: Value): boolean {
  if (value instanceof Undefined) return iteratorOf(value) !== undefined;
  return (
    isText(value) ||
    Array.isArray(value) ||
    value instanceof Dict ||
    value instanceof Tuple ||
    (value instanceof ObjectValue && value.typeName === 'range')
  );
}

/** Whether a value is one of the names; what could not be a key fails. */
function isName(value: Value, names: ReadonlySet<string>): boolean {
  dictKey(value);
  return isText(value) && names.has(textOf(value));
}

function isIterable(value: Value): boolean {
  return iteratorOf(value) !== undefined;
}

function isCallable(value: Value): boolean {
  // Python finds a call method on its undefined object, too.
  return value instanceof Undefined || (value instanceof ObjectValue && value.callable);
}

function same([a = null, b = null]: Bound): boolean {
  return a === b;
}

const equal = equality(true);
const unequal = equality(false);
const [less, lessEqual, greater, greaterEqual] = [
  ordering('<'),
  ordering('<='),
  ordering('>'),
  ordering('>='),
] as const;

const known: readonly (readonly [string, Test])[] = [
  ['boolean', kind('test_boolean', (value) => typeof value === 'boolean')],
  ['callable', kind('callable', isCallable)],
  ['defined', kind('test_defined', (value) => !(value instanceof Undefined))],
  ['divisibleby', test('test_divisibleby', 'value num', ([value = null, by = null]) => modulo(value, by, 0))],
  ['escaped', kind('test_escaped', (value) => value instanceof Markup)],
  ['even', kind('test_even', (value) => modulo(value, 2, 0))],
  ['false', kind('test_false', (value) => value === false)],
  ['filter', kind('test_filter', (value) => isName(value, filterNames))],
  ['float', kind('test_float', isFloat)],
  ['in', test('test_in', 'value seq', ([value = null, sequence = null]) => contains(sequence, value))],
  ['integer', kind('test_integer', isInt)],
  ['iterable', kind('test_iterable', isIterable)],
  ['lower', kind('test_lower', (value) => textKinds['islower']?.(toText(value)) === true)],
  ['mapping', kind('test_mapping', (value) => value instanceof Dict)],
  ['none', kind('test_none', (value) => value === null)],
  ['number', kind('test_number', (value) => isInt(value) || isFloat(value) || typeof value === 'boolean')],
  ['odd', kind('test_odd', (value) => modulo(value, 2, 1))],
  ['sameas', test('test_sameas', 'value other', same)],
  ['sequence', kind('test_sequence', isSequence)],
  ['string', kind('test_string', isText)],
  ['true', kind('test_true', (value) => value === true)],
  ['undefined', kind('test_undefined', (value) => value instanceof Undefined)],
  ['upper', kind('test_upper', (value) => textKinds['isupper']?.(toText(value)) === true)],
  ...['==', 'eq', 'equalto'].map((name) => [name, equal] as const),
  ...['!=', 'ne'].map((name) => [name, unequal] as const),
  ...['<', 'lt', 'lessthan'].map((name) => [name, less] as const),
  ...['<=', 'le'].map((name) => [name, lessEqual] as const),
  ...['>', 'gt', 'greaterthan'].map((name) => [name, greater] as const),
  ...['>=', 'ge'].map((name) => [name, greaterEqual] as const),
];

const testNames: ReadonlySet<string> = new Set([...known.map(([name]) => name), 'test']);

/** Every test by name. */
export const tests: ReadonlyMap<string, Test> = new Map([
  ...known,
  ['test', kind('test_test', (value) => isName(value, testNames))],
]);
