import type { Dict } from '../dict.js';
import { contains } from '../operators/compare.js';
import { toRepr } from '../text/python-text.js';
import { type CallArguments, ObjectValue, Tuple, type Value } from '../value.js';

/** Something that yields its elements once, such as the result of a lazy filter. */
export class IteratorValue extends ObjectValue {
  readonly typeName: string;
  readonly #iterator: Iterator<Value>;
  readonly #maker: string;

  constructor(iterator: Iterator<Value>, maker: string, typeName = 'generator') {
    super();
    this.#iterator = iterator;
    this.#maker = maker;
    this.typeName = typeName;
  }

  override iterate(): Iterator<Value> {
    return this.#iterator;
  }

  override text(): string {
    return `<${this.typeName} object${this.#maker === '' ? '' : ` ${this.#maker}`}>`;
  }
}

/** A live view of a dict's keys, values or items. */
export class DictView extends ObjectValue {
  readonly typeName: 'dict_keys' | 'dict_values' | 'dict_items';
  readonly #dict: Dict;

  constructor(dict: Dict, typeName: 'dict_keys' | 'dict_values' | 'dict_items') {
    super();
    this.#dict = dict;
    this.typeName = typeName;
  }

  override *iterate(): IterableIterator<Value> {
    for (const [key, value] of this.#dict.entries()) {
      if (this.typeName === 'dict_items') yield new Tuple([key, value]);
      else yield this.typeName === 'dict_keys' ? key : value;
    }
  }

  override length(): number {
    return this.#dict.size;
  }

  override text(): string {
    return `${this.typeName}(${toRepr([...this.iterate()])})`;
  }

  holds(value: Value): boolean {
    return contains([...this.iterate()], value);
  }
}

/** A function that templates can call. */
export class FunctionValue extends ObjectValue {
  readonly typeName: string;
  readonly #text: string;
  readonly #invoke: (call: CallArguments) => Value;

  constructor(text: string, invoke: (call: CallArguments) => Value, typeName = 'function') {
    super();
    this.#text = text;
    this.#invoke = invoke;
    this.typeName = typeName;
  }

  override get callable(): boolean {
    return true;
  }

  override call(call: CallArguments): Value {
    return this.#invoke(call);
  }

  override text(): string {
    return this.#text;
  }
}

/** A value with named attributes and nothing else. */
export class AttributesValue extends ObjectValue {
  readonly typeName: string;
  readonly #attributes: ReadonlyMap<string, Value>;
  readonly #text: string;

  constructor(typeName: string, text: string, attributes: ReadonlyMap<string, Value>) {
    super();
    this.typeName = typeName;
    this.#text = text;
    this.#attributes = attributes;
  }

  override attribute(name: string): Value | undefined {
    return this.#attributes.get(name);
  }

  override text(): string {
    return this.#text;
  }
}
