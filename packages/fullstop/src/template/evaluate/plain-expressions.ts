import { assertNever } from '../../termination/assert-never.js';
import { Dict } from '../dict.js';
import { lengthOf } from '../filters/sequence-filters.js';
import type { Expression, JoinedField, Slice } from '../language/ast.js';
import { plainFunctions } from '../library/plain-functions.js';
import { binary } from '../operators/arithmetic.js';
import { numeric } from '../operators/compare.js';
import { sliceOf } from '../operators/slice.js';
import { isTrue } from '../operators/truth.js';
import { formatValue } from '../text/format-spec.js';
import { toText } from '../text/python-text.js';
import { isText, ObjectValue, Tuple, type Value } from '../value.js';
import { memberOf, plainItem } from './attribute.js';
import { callValue } from './call.js';
import { checkText, evaluation } from './evaluation.js';
import { type Evaluate, ExpressionCompiler } from './expression-compiler.js';
import { Fault, runtimeFault, typeFault } from './fault.js';
import { typeName } from './type-name.js';

type Of<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

/** The names of a plain condition. */
export interface PlainNames {
  lookup(name: string): Value | undefined;
  /** The value of a name when a member of it is asked for: here whole mappings count, too. */
  owner(name: string): Value | undefined;
}

const forbidden: ReadonlySet<string> = new Set(
  'format format_map mro tb_frame gi_frame ag_frame cr_frame exec'.split(' '),
);
const lengthLimit = 100_000;
const powerLimit = 4_000_000;
const shiftLimit = 10_000;
const shiftBaseLimit = Number.MAX_VALUE;

function refusal(message: string): Fault {
  return new Fault('security', 'FeatureNotAvailable', message);
}

function tooHigh(a: Value, operator: string, b: Value): Fault {
  return new Fault('limit', 'NumberTooHigh', `Sorry! I don't want to evaluate ${toText(a)} ${operator} ${toText(b)}`);
}

function tooLong(message: string): Fault {
  return new Fault('limit', 'IterableTooLong', message);
}

/** Compiles the expressions of the plain language. */
export class PlainExpressions extends ExpressionCompiler<PlainNames> {
  readonly #source: string;

  constructor(source: string) {
    super();
    this.#source = source;
  }

  protected override name({ at, name }: Of<'name'>): Evaluate<PlainNames> {
    return (names) => {
      const value = names.lookup(name);
      if (value !== undefined) return value;
      evaluation.at = at;
      return this.#function(name);
    };
  }

  #function(name: string): Value {
    const known = plainFunctions.get(name);
    if (known !== undefined) return known;
    throw new Fault('undefined', 'NameNotDefined', `'${name}' is not defined for expression '${this.#source}'`);
  }

  /** A value whose member is wanted. */
  #owner(node: Expression): Evaluate<PlainNames> {
    if (node.kind !== 'name') return this.compile(node);
    const plain = this.name(node);
    const { name } = node;
    return (names) => {
      const value = names.owner(name);
      return value === undefined ? plain(names) : value;
    };
  }

  protected override attribute({ at, name, object }: Of<'attribute'>): Evaluate<PlainNames> {
    if (name.startsWith('_') || name.startsWith('func_')) {
      return this.#refused(`Sorry, access to __attributes  or func_ attributes is not available. (${name})`, at);
    }
    if (forbidden.has(name)) return this.#refused(`Sorry, this method is not available. (${name})`, at);
    const owner = this.#owner(object);
    return (names) => {
      const value = owner(names);
      evaluation.at = at;
      const member = memberOf(value, name);
      if (member !== undefined) return member;
      const entry = value instanceof Dict ? value.getText(name) : undefined;
      if (entry !== undefined) return entry;
      throw runtimeFault('AttributeDoesNotExist', `Attribute '${name}' does not exist in expression '${this.#source}'`);
    };
  }

  #refused(message: string, at: number): Evaluate<PlainNames> {
    return () => {
      evaluation.at = at;
      throw refusal(message);
    };
  }

  protected override subscript({ at, key, object }: Of<'subscript'>): Evaluate<PlainNames> {
    const owner = this.#owner(object);
    if (key.kind === 'slice') return this.#slice(owner, key, at);
    const index = this.compile(key);
    return (names) => {
      const value = owner(names);
      const wanted = index(names);
      evaluation.at = at;
      return plainItem(value, wanted);
    };
  }

  #slice(owner: Evaluate<PlainNames>, slice: Slice, at: number): Evaluate<PlainNames> {
    const bound = (node: Expression | undefined): Evaluate<PlainNames> =>
      node === undefined ? () => null : this.compile(node);
    const [start, stop, step] = [bound(slice.start), bound(slice.stop), bound(slice.step)];
    return (names) => {
      const value = owner(names);
      const bounds = { start: start(names), stop: stop(names), step: step(names) };
      evaluation.at = at;
      return sliceOf(value, bounds);
    };
  }

  protected override call(node: Of<'call'>): Evaluate<PlainNames> {
    const { at, callee } = node;
    const target = this.#callee(callee, at);
    const args = this.arguments(node.args);
    return (names) => {
      const value = target(names);
      const call = args(names);
      evaluation.at = at;
      return callValue(value, call);
    };
  }

  #callee(callee: Expression, at: number): Evaluate<PlainNames> {
    if (callee.kind === 'attribute') return this.compile(callee);
    if (callee.kind !== 'name') return this.#refused('Lambda Functions not implemented', at);
    const known = plainFunctions.get(callee.name);
    if (known !== undefined) return () => known;
    return () => {
      evaluation.at = at;
      throw new Fault(
        'undefined',
        'FunctionNotDefined',
        `Function '${callee.name}' not defined, for expression '${this.#source}'.`,
      );
    };
  }

  protected override conditional(node: Of<'conditional'>): Evaluate<PlainNames> {
    const test = this.compile(node.test);
    const then = this.compile(node.then);
    const otherwise = node.otherwise === undefined ? (): Value => null : this.compile(node.otherwise);
    return (names) => (isTrue(test(names)) ? then(names) : otherwise(names));
  }

  protected override binary(node: Of<'binary'>): Evaluate<PlainNames> {
    const { at, operator } = node;
    const left = this.compile(node.left);
    const right = this.compile(node.right);
    const guard = guards.get(operator);
    return (names) => {
      const a = left(names);
      const b = right(names);
      evaluation.at = at;
      guard?.(a, b);
      return binary(operator, a, b);
    };
  }

  protected override special(node: Of<'concat' | 'filter' | 'test' | 'joined' | 'refused'>): Evaluate<PlainNames> {
    switch (node.kind) {
      case 'joined':
        return this.#joined(node.parts);
      case 'refused':
        return this.#refused(node.message, node.at);
      case 'concat':
      case 'filter':
      case 'test':
        return this.#refused('not available in conditions', node.at);
      default:
        return assertNever('unknown expression', node);
    }
  }

  #joined(parts: readonly (string | JoinedField)[]): Evaluate<PlainNames> {
    const pieces = parts.map((part) => (typeof part === 'string' ? (): string => part : this.#field(part)));
    return (names) => {
      let text = '';
      for (const piece of pieces) {
        const added = toText(piece(names));
        if (added.length > lengthLimit) throw tooLong('Sorry, I will not evaluate something this long.');
        checkText(text.length + added.length);
        text += added;
      }
      return text;
    };
  }

  #field({ format, value }: JoinedField): Evaluate<PlainNames> {
    const shown = this.compile(value);
    if (format === undefined) return shown;
    const spec = this.#joined(format);
    return (names) => {
      const text = toText(spec(names));
      return formatValue(shown(names), text);
    };
  }
}

function hasLength(value: Value): boolean {
  if (isText(value) || Array.isArray(value) || value instanceof Dict || value instanceof Tuple) return true;
  return value instanceof ObjectValue && value.length() !== undefined;
}

function guardProduct(a: Value, b: Value): void {
  for (const [sequence, count] of [
    [a, b],
    [b, a],
  ] as const) {
    const times = numeric(count);
    if (!hasLength(sequence) || times === undefined) continue;
    if (Number(times) * lengthOf(sequence) > lengthLimit)
      throw tooLong('Sorry, I will not evaluate something that long.');
  }
}

function guardSum(a: Value, b: Value): void {
  if (!hasLength(a) || !hasLength(b)) return;
  if (lengthOf(a) + lengthOf(b) > lengthLimit) {
    throw tooLong('Sorry, adding those two together would make something too long.');
  }
}

function magnitude(value: Value): number {
  const number = numeric(value);
  if (number === undefined) throw typeFault(`bad operand type for abs(): '${typeName(value)}'`);
  return Math.abs(Number(number));
}

function guardPower(a: Value, b: Value): void {
  if (magnitude(a) > powerLimit || magnitude(b) > powerLimit) throw tooHigh(a, '**', b);
}

function guardShift(operator: '<<' | '>>'): (a: Value, b: Value) => void {
  return (a, b) => {
    if (magnitude(b) > shiftLimit || magnitude(a) > shiftBaseLimit) throw tooHigh(a, operator, b);
  };
}

const guards: ReadonlyMap<string, (a: Value, b: Value) => void> = new Map([
  ['*', guardProduct],
  ['+', guardSum],
  ['**', guardPower],
  ['<<', guardShift('<<')],
  ['>>', guardShift('>>')],
]);
