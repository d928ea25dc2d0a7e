import { typeFault, valueFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { indexOf } from '../operators/integer.js';
import { type CallArguments, ObjectValue, type Value } from '../value.js';

/** Python's `range`: it never builds its elements. */
export class RangeValue extends ObjectValue {
  readonly typeName = 'range';
  readonly start: number;
  readonly stop: number;
  readonly step: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  override length(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step));
  }

  override *iterate(): IterableIterator<Value> {
    const length = this.length();
    for (let index = 0; index < length; index += 1) yield this.start + index * this.step;
  }

  override element(key: Value): Value | undefined {
    if (typeof key !== 'number' && typeof key !== 'boolean') return undefined;
    const length = this.length();
    const index = Number(key) < 0 ? Number(key) + length : Number(key);
    return index >= 0 && index < length ? this.start + index * this.step : undefined;
  }

  override attribute(name: string): Value | undefined {
    if (name === 'start') return this.start;
    if (name === 'stop') return this.stop;
    return name === 'step' ? this.step : undefined;
  }

  override text(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? '' : `, ${this.step}`})`;
  }
}

/** Calls `range(…)`. */
export function callRange({ positional, named }: CallArguments): Value {
  if (named !== undefined && named.size > 0) throw typeFault('range() takes no keyword arguments');
  if (positional.length === 0) throw typeFault('range expected at least 1 argument, got 0');
  if (positional.length > 3) throw typeFault(`range expected at most 3 arguments, got ${positional.length}`);
  const numbers = positional.map((value) =>
    indexOf(value, `'${typeName(value)}' object cannot be interpreted as an integer`),
  );
  const [first = 0, second, third = 1] = numbers;
  if (third === 0) throw valueFault('range() arg 3 must not be zero');
  return second === undefined ? new RangeValue(0, first, 1) : new RangeValue(first, second, third);
}
