import { typeName } from '../evaluate/type-name.js';
import { type CallArguments, ObjectValue, type Value } from '../value.js';
import { type Bound, bind, positional, type Signature } from './signature.js';

/** A method of a built-in type. */
export interface Method<Self extends Value> {
  readonly signature: Signature;
  /** Whether arguments may be named. */
  readonly named: boolean;
  apply(self: Self, args: Bound): Value;
}

/** The methods of one type, by name. */
export type MethodTable<Self extends Value> = ReadonlyMap<string, Method<Self>>;

type Row<Self> = readonly [parameters: string, apply: (self: Self, args: Bound) => Value];

/** Makes a table from rows such as `center: ['width fill?', …]`; a leading `*` lets arguments be named. */
export function methodTable<Self extends Value>(
  type: string,
  rows: Readonly<Record<string, Row<Self>>>,
): MethodTable<Self> {
  const table = new Map<string, Method<Self>>();
  for (const [name, [text, apply]] of Object.entries(rows)) {
    const named = text.startsWith('*');
    const words = text
      .replace('*', '')
      .split(' ')
      .filter((word) => word !== '');
    const required = words.filter((word) => !word.endsWith('?')).length;
    const parameters = words.map((word) => word.replace('?', ''));
    table.set(name, { signature: { name: `${type}.${name}`, parameters, required }, named, apply });
  }
  return table;
}

/** A method taken from a value, ready to be called. */
export class BoundMethod extends ObjectValue {
  readonly typeName = 'builtin_function_or_method';
  readonly #name: string;
  readonly #self: Value;
  readonly #invoke: (call: CallArguments) => Value;

  constructor(name: string, self: Value, invoke: (call: CallArguments) => Value) {
    super();
    this.#name = name;
    this.#self = self;
    this.#invoke = invoke;
  }

  override get callable(): boolean {
    return true;
  }

  override call(call: CallArguments): Value {
    return this.#invoke(call);
  }

  override text(): string {
    return `<built-in method ${this.#name} of ${typeName(this.#self)} object>`;
  }
}

/** Looks a method up and binds it to its value. */
export function boundMethod<Self extends Value>(table: MethodTable<Self>, self: Self, name: string): Value | undefined {
  const method = table.get(name);
  if (method === undefined) return undefined;
  const arrange = method.named ? bind : positional;
  return new BoundMethod(name, self, (call) => method.apply(self, arrange(method.signature, call)));
}
