import { FunctionValue } from '../library/object-values.js';
import { equals } from '../operators/compare.js';
import { type CallArguments, ObjectValue, presentOr, Tuple, Undefined, type Value } from '../value.js';
import { spend } from './evaluation.js';
import { typeFault } from './fault.js';
import { iterate } from './iterate.js';

/** How a loop is run again on other elements. */
export type Recurse = (source: Value, depth: number) => string;

/** The `loop` variable. It looks ahead only when it is asked something that needs it. */
export class LoopValue extends ObjectValue {
  readonly typeName = 'jinja2.runtime.LoopContext';
  readonly #depth: number;
  readonly #recurse: Recurse | undefined;
  readonly #known: number | undefined;
  #iterator: Iterator<Value>;
  #length: number | undefined;
  #index = -1;
  #ahead: Value | undefined;
  #current: Value | undefined;
  #previous: Value | undefined;
  #changed: Tuple | undefined;

  constructor(source: Value, depth: number, recurse: Recurse | undefined) {
    super();
    this.#iterator = iterate(source);
    this.#known = sizeOf(source);
    this.#depth = depth;
    this.#recurse = recurse;
  }

  /** Moves to the next element, which is undefined at the end. */
  advance(): Value | undefined {
    const next = this.#peek();
    this.#ahead = undefined;
    if (next === undefined) return undefined;
    this.#index += 1;
    this.#previous = this.#current;
    this.#current = next;
    return next;
  }

  #take(): Value | undefined {
    spend(1);
    const next = this.#iterator.next();
    return next.done === true ? undefined : next.value;
  }

  #peek(): Value | undefined {
    if (this.#ahead === undefined) this.#ahead = this.#take();
    return this.#ahead;
  }

  override length(): number {
    this.#length ??= this.#known ?? this.#count();
    return this.#length;
  }

  #count(): number {
    const rest: Value[] = [];
    for (let item = this.#take(); item !== undefined; item = this.#take()) rest.push(item);
    this.#iterator = rest[Symbol.iterator]();
    return rest.length + this.#index + 1 + (this.#ahead === undefined ? 0 : 1);
  }

  override attribute(name: string): Value | undefined {
    const read = members.get(name);
    return read === undefined ? undefined : read(this);
  }

  override get callable(): boolean {
    return true;
  }

  override call({ positional }: CallArguments): Value {
    if (this.#recurse === undefined) {
      throw typeFault("The loop must have the 'recursive' marker to be called recursively.");
    }
    return this.#recurse(positional[0] ?? null, this.#depth + 1);
  }

  override truth(): boolean {
    return this.length() > 0;
  }

  override text(): string {
    return `<LoopContext ${this.#index + 1}/${this.length()}>`;
  }

  get index0(): number {
    return this.#index;
  }

  get depth0(): number {
    return this.#depth;
  }

  get isLast(): boolean {
    return this.#peek() === undefined;
  }

  get previous(): Value {
    return presentOr(this.#previous, () => new Undefined(() => 'there is no previous item'));
  }

  get next(): Value {
    return presentOr(this.#peek(), () => new Undefined(() => 'there is no next item'));
  }

  cycle(items: readonly Value[]): Value {
    if (items.length === 0) throw typeFault('no items for cycling given');
    return items[this.#index % items.length] as Value;
  }

  changed(values: readonly Value[]): boolean {
    const now = new Tuple(values);
    if (this.#changed !== undefined && equals(this.#changed, now)) return false;
    this.#changed = now;
    return true;
  }
}

const members: ReadonlyMap<string, (loop: LoopValue) => Value> = new Map<string, (loop: LoopValue) => Value>([
  ['index', (loop) => loop.index0 + 1],
  ['index0', (loop) => loop.index0],
  ['revindex', (loop) => loop.length() - loop.index0],
  ['revindex0', (loop) => loop.length() - loop.index0 - 1],
  ['first', (loop) => loop.index0 === 0],
  ['last', (loop) => loop.isLast],
  ['length', (loop) => loop.length()],
  ['depth', (loop) => loop.depth0 + 1],
  ['depth0', (loop) => loop.depth0],
  ['previtem', (loop) => loop.previous],
  ['nextitem', (loop) => loop.next],
  [
    'cycle',
    (loop) => new FunctionValue('<bound method LoopContext.cycle>', (call) => loop.cycle(call.positional), 'method'),
  ],
  [
    'changed',
    (loop) =>
      new FunctionValue('<bound method LoopContext.changed>', (call) => loop.changed(call.positional), 'method'),
  ],
]);

function sizeOf(source: Value): number | undefined {
  if (Array.isArray(source)) return source.length;
  if (source instanceof Tuple) return source.items.length;
  return source instanceof ObjectValue ? source.length() : undefined;
}
