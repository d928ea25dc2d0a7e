import { Dict } from '../dict.js';
import { allowList, allowText, checkText } from '../evaluate/evaluation.js';
import { type Fault, runtimeFault, typeFault, undefinedFault, zeroDivisionFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { escapeHtml } from '../text/escape-html.js';
import { formatPercent } from '../text/format-percent.js';
import { Float, float, int, isText, Markup, Tuple, textOf, Undefined, type Value } from '../value.js';
import { dictKey, numeric } from './compare.js';
import { bitwise, intDivide, intFloor, intModulo, intPower, intProduct } from './integer.js';
import { floatFloor, floatModulo, floatPower, toFloat } from './real.js';

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**' | '&' | '|' | '^' | '<<' | '>>';

/** A Python binary operation other than comparison and logic. */
export function binary(operator: BinaryOperator, a: Value, b: Value): Value {
  const left = numeric(a);
  const right = left === undefined ? undefined : numeric(b);
  if (left !== undefined && right !== undefined) {
    if (isFloating(a) || isFloating(b)) return onFloats(operator, a, b);
    if (typeof a === 'boolean' && typeof b === 'boolean' && '&|^'.includes(operator))
      return isTrueInt(onInts(operator, left, right));
    return onInts(operator, left, right);
  }
  const result = operator === '%' && isText(a) ? formatPercentOperator(a, b) : onOthers(operator, a, b);
  if (result === undefined) throw unsupported(operator, a, b);
  return result;
}

function isFloating(value: Value): boolean {
  return value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));
}

function onInts(operator: BinaryOperator, a: number | bigint, b: number | bigint): Value {
  switch (operator) {
    case '+':
      return whole(Number(a) + Number(b), () => BigInt(a) + BigInt(b));
    case '-':
      return whole(Number(a) - Number(b), () => BigInt(a) - BigInt(b));
    case '*':
      return whole(Number(a) * Number(b), () => intProduct(BigInt(a), BigInt(b)));
    case '/':
      return intDivide(a, b);
    case '//':
      return intFloor(a, b);
    case '%':
      return intModulo(a, b);
    case '**':
      return intPower(a, b);
    default:
      return bitwise(operator, BigInt(a), BigInt(b));
  }
}

/** Operations on bits keep booleans. */
function isTrueInt(value: Value): boolean {
  return value === 1;
}

function whole(result: number, exact: () => bigint): Value {
  return Number.isSafeInteger(result) ? result + 0 : int(exact());
}

function onFloats(operator: BinaryOperator, first: Value, second: Value): Value {
  const a = toFloat(first);
  const b = toFloat(second);
  switch (operator) {
    case '+':
      return float(a + b);
    case '-':
      return float(a - b);
    case '*':
      return float(a * b);
    case '/':
      if (b === 0) throw zeroDivisionFault('float division by zero');
      return float(a / b);
    case '//':
      return floatFloor(a, b);
    case '%':
      return floatModulo(a, b);
    case '**':
      return floatPower(a, b);
    default:
      throw unsupported(operator, first, second);
  }
}

function formatPercentOperator(template: string | Markup, argument: Value): Value {
  const text = formatPercent(textOf(template), argument, template instanceof Markup);
  return template instanceof Markup ? new Markup(text) : text;
}

function onOthers(operator: BinaryOperator, a: Value, b: Value): Value | undefined {
  for (const value of [a, b]) if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (operator === '+') return concatenate(a, b);
  if (operator === '*') return repeatSequence(a, b);
  if (operator === '|' && a instanceof Dict && b instanceof Dict) return mergeDicts(a, b);
  return undefined;
}

function mergeDicts(a: Dict, b: Dict): Dict {
  allowList(a.size + b.size);
  const dict = a.copy();
  for (const [key, value] of b.entries()) dict.set(dictKey(key), key, value);
  return dict;
}

function concatenate(a: Value, b: Value): Value | undefined {
  if (isText(a) || (b instanceof Markup && isText(a))) {
    if (!isText(b) && a instanceof Markup) return undefined;
    if (!isText(b)) throw typeFault(`can only concatenate ${typeName(a)} (not "${typeName(b)}") to ${typeName(a)}`);
    return joinedText(a, b);
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b)) throw typeFault(`can only concatenate list (not "${typeName(b)}") to list`);
    allowList(a.length + b.length);
    return a.concat(b);
  }
  if (a instanceof Tuple) {
    if (!(b instanceof Tuple)) throw typeFault(`can only concatenate tuple (not "${typeName(b)}") to tuple`);
    allowList(a.items.length + b.items.length);
    return new Tuple(a.items.concat(b.items));
  }
  return undefined;
}

/** Text beside escaped text is escaped first. */
function joinedText(a: string | Markup, b: string | Markup): Value {
  checkText(textOf(a).length + textOf(b).length);
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  return new Markup(escapedText(a) + escapedText(b));
}

function escapedText(value: string | Markup): string {
  return typeof value === 'string' ? escapeHtml(value) : value.text;
}

function repeatSequence(a: Value, b: Value): Value | undefined {
  if (isSequence(a)) return repeat(a, b);
  return isSequence(b) ? repeat(b, a) : undefined;
}

type Sequence = string | Markup | Value[] | Tuple;

function isSequence(value: Value): value is Sequence {
  return isText(value) || Array.isArray(value) || value instanceof Tuple;
}

function repeat(sequence: Sequence, times: Value): Value {
  if (sequence instanceof Markup && numeric(times) === undefined) {
    throw typeFault(`'${typeName(times)}' object cannot be interpreted as an integer`);
  }
  if (typeof times === 'bigint') throw runtimeFault('OverflowError', "cannot fit 'int' into an index-sized integer");
  if (typeof times !== 'boolean' && (isFloating(times) || numeric(times) === undefined)) {
    throw typeFault(`can't multiply sequence by non-int of type '${typeName(times)}'`);
  }
  const count = Math.max(0, Number(times));
  if (isText(sequence)) {
    allowText(textOf(sequence).length * count);
    const text = textOf(sequence).repeat(textOf(sequence) === '' ? 0 : count);
    return typeof sequence === 'string' ? text : new Markup(text);
  }
  const items = Array.isArray(sequence) ? sequence : sequence.items;
  allowList(items.length * count);
  const copies: Value[] = [];
  for (let round = 0; items.length > 0 && round < count; round += 1) copies.push(...items);
  return Array.isArray(sequence) ? copies : new Tuple(copies);
}

function unsupported(operator: string, a: Value, b: Value): Fault {
  const shown = operator === '**' ? '** or pow()' : operator;
  return typeFault(`unsupported operand type(s) for ${shown}: '${typeName(a)}' and '${typeName(b)}'`);
}
