import type { Dict } from './dict.js';

/**
 * A value inside templates and conditions. An int is an integral `number` or a `bigint`, a float is any other `number` or
 * a boxed `Float`, a list is an array; data never is a JavaScript object whose properties a template could reach.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Value[]
  | Tuple
  | Dict
  | Undefined
  | Markup
  | ObjectValue;

/** A float whose value is integral, which a plain number could not tell from an int. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Python's tuple: it prints and compares differently from a list. */
export class Tuple {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** Text that counts as escaped HTML, as the escaping filters return it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value of a missing name, key or attribute. Using it is an error, unless it is lenient. */
export class Undefined {
  readonly describe: () => string;
  /** A lenient one prints as nothing: the missing else of an inline if. */
  readonly lenient: boolean;

  constructor(describe: () => string, lenient = false) {
    this.describe = describe;
    this.lenient = lenient;
  }
}

/** The arguments of a call inside a template. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value> | undefined;
}

/** Anything else a template can hold: ranges, views, iterators, callables, the loop variable. */
export abstract class ObjectValue {
  /** The Python type, with its module where Python would print it. */
  abstract readonly typeName: string;

  /** Looks up a template-visible attribute. */
  attribute(_name: string): Value | undefined {
    return undefined;
  }

  /** Looks up an element by subscript. */
  element(_key: Value): Value | undefined {
    return undefined;
  }

  iterate(): Iterator<Value> | undefined {
    return undefined;
  }

  length(): number | undefined {
    return undefined;
  }

  truth(): boolean {
    return this.length() !== 0;
  }

  text(): string {
    return `<${this.typeName} object>`;
  }

  call(_call: CallArguments): Value | undefined {
    return undefined;
  }

  /** Whether `call` does something. */
  get callable(): boolean {
    return false;
  }
}

/** Makes a float of a number. */
export function float(value: number): Value {
  return Number.isInteger(value) ? new Float(value) : value;
}

/** Makes an int of a big integer: a plain number where that is exact. */
export function int(value: bigint): Value {
  return value >= -9_007_199_254_740_991n && value <= 9_007_199_254_740_991n ? Number(value) : value;
}

/** The value, or another one when there is none. None is a value, so `??` would be wrong. */
export function presentOr(value: Value | undefined, other: () => Value): Value {
  return value === undefined ? other() : value;
}

/** True for ints, without booleans. */
export function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'bigint';
}

/** True for floats in either form. */
export function isFloat(value: Value): value is number | Float {
  return typeof value === 'number' ? !Number.isInteger(value) : value instanceof Float;
}

/** The number that a float holds. */
export function floatOf(value: number | Float): number {
  return typeof value === 'number' ? value : value.value;
}

/** True for text, escaped or not. */
export function isText(value: Value): value is string | Markup {
  return typeof value === 'string' || value instanceof Markup;
}

/** The characters of a text value. */
export function textOf(value: string | Markup): string {
  return typeof value === 'string' ? value : value.text;
}
