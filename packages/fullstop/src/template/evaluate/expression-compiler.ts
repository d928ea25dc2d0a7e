import { assertNever } from '../../termination/assert-never.js';
import { Dict } from '../dict.js';
import type { Arguments, CompareExpression, Expression } from '../language/ast.js';
import { binary } from '../operators/arithmetic.js';
import { compareOrder, contains, dictKey, equals } from '../operators/compare.js';
import { isTrue } from '../operators/truth.js';
import { unary } from '../operators/unary.js';
import { type CallArguments, Tuple, type Value } from '../value.js';
import { evaluation } from './evaluation.js';
import { typeFault } from './fault.js';
import { elements } from './iterate.js';
import { typeName } from './type-name.js';

/** Computes a value in an environment. */
export type Evaluate<Env> = (env: Env) => Value;

type Of<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

/** Turns expressions into closures. What the two languages do differently is left to each. */
export abstract class ExpressionCompiler<Env> {
  protected abstract name(node: Of<'name'>): Evaluate<Env>;
  protected abstract attribute(node: Of<'attribute'>): Evaluate<Env>;
  protected abstract subscript(node: Of<'subscript'>): Evaluate<Env>;
  protected abstract call(node: Of<'call'>): Evaluate<Env>;
  protected abstract conditional(node: Of<'conditional'>): Evaluate<Env>;
  protected abstract special(node: Of<'concat' | 'filter' | 'test' | 'joined' | 'refused'>): Evaluate<Env>;

  compile(node: Expression): Evaluate<Env> {
    switch (node.kind) {
      case 'constant': {
        const { value } = node;
        return () => value;
      }
      case 'name':
        return this.name(node);
      case 'attribute':
        return this.attribute(node);
      case 'subscript':
        return this.subscript(node);
      case 'call':
        return this.call(node);
      case 'conditional':
        return this.conditional(node);
      case 'concat':
      case 'filter':
      case 'test':
      case 'joined':
      case 'refused':
        return this.special(node);
      default:
        return this.#operation(node);
    }
  }

  #operation(node: Of<'list' | 'tuple' | 'dict' | 'unary' | 'not' | 'binary' | 'logical' | 'compare'>): Evaluate<Env> {
    switch (node.kind) {
      case 'list': {
        const items = node.items.map((item) => this.compile(item));
        return (env) => items.map((item) => item(env));
      }
      case 'tuple': {
        const items = node.items.map((item) => this.compile(item));
        return (env) => new Tuple(items.map((item) => item(env)));
      }
      case 'dict':
        return this.#dict(node);
      case 'unary':
        return this.#unary(node);
      case 'not': {
        const operand = this.compile(node.operand);
        return (env) => !isTrue(operand(env));
      }
      case 'binary':
        return this.binary(node);
      case 'logical':
        return this.#logical(node);
      case 'compare':
        return this.#compare(node);
      default:
        return assertNever('unknown expression', node);
    }
  }

  #dict(node: Of<'dict'>): Evaluate<Env> {
    const entries = node.entries.map(([key, value]) => [this.compile(key), this.compile(value)] as const);
    return (env) => {
      const dict = new Dict();
      for (const [key, value] of entries) {
        const original = key(env);
        dict.set(dictKey(original), original, value(env));
      }
      return dict;
    };
  }

  #unary({ at, operand, operator }: Of<'unary'>): Evaluate<Env> {
    const value = this.compile(operand);
    return (env) => {
      const operandValue = value(env);
      evaluation.at = at;
      return unary(operator, operandValue);
    };
  }

  protected binary(node: Of<'binary'>): Evaluate<Env> {
    const { at, operator } = node;
    const left = this.compile(node.left);
    const right = this.compile(node.right);
    return (env) => {
      const a = left(env);
      const b = right(env);
      evaluation.at = at;
      return binary(operator, a, b);
    };
  }

  #logical(node: Of<'logical'>): Evaluate<Env> {
    const left = this.compile(node.left);
    const right = this.compile(node.right);
    if (node.operator === 'and') {
      return (env) => {
        const value = left(env);
        return isTrue(value) ? right(env) : value;
      };
    }
    return (env) => {
      const value = left(env);
      return isTrue(value) ? value : right(env);
    };
  }

  #compare(node: CompareExpression): Evaluate<Env> {
    const first = this.compile(node.first);
    const rest = node.rest.map(({ operator, operand }) => ({
      holds: comparisons[operator],
      operand: this.compile(operand),
    }));
    const { at } = node;
    return (env) => {
      let left = first(env);
      for (const { holds, operand } of rest) {
        const right = operand(env);
        evaluation.at = at;
        if (!holds(left, right)) return false;
        left = right;
      }
      return true;
    };
  }

  /** Compiles arguments; the usual case, positional ones only, makes nothing but their list. */
  protected arguments(args: Arguments): (env: Env) => CallArguments {
    const positional = args.positional.map((item) => this.compile(item));
    if (args.named.length === 0 && args.spread === undefined && args.spreadNamed === undefined) {
      if (positional.length === 0) return () => noArguments;
      return (env) => ({ positional: positional.map((item) => item(env)), named: undefined });
    }
    const named = args.named.map(({ name, value }) => [name, this.compile(value)] as const);
    const spread = args.spread === undefined ? undefined : this.compile(args.spread);
    const spreadNamed = args.spreadNamed === undefined ? undefined : this.compile(args.spreadNamed);
    return (env) => {
      const list = positional.map((item) => item(env));
      if (spread !== undefined) for (const item of elements(spread(env))) list.push(item);
      const names = new Map<string, Value>();
      for (const [name, value] of named) names.set(name, value(env));
      if (spreadNamed !== undefined) spreadInto(names, spreadNamed(env));
      return { positional: list, named: names };
    };
  }
}

const noArguments: CallArguments = { positional: [], named: undefined };

function spreadInto(names: Map<string, Value>, value: Value): void {
  if (!(value instanceof Dict)) throw typeFault(`argument after ** must be a mapping, not ${typeName(value)}`);
  for (const [key, item] of value.entries()) {
    if (typeof key !== 'string') throw typeFault('keywords must be strings');
    if (names.has(key)) throw typeFault(`got multiple values for keyword argument '${key}'`);
    names.set(key, item);
  }
}

/** Python's `is`: small values are the same when they are equal and of one type. */
function isSame(a: Value, b: Value): boolean {
  return a === b;
}

const comparisons = {
  '==': (a: Value, b: Value) => equals(a, b),
  '!=': (a: Value, b: Value) => !equals(a, b),
  '<': (a: Value, b: Value) => compareOrder('<', a, b),
  '<=': (a: Value, b: Value) => compareOrder('<=', a, b),
  '>': (a: Value, b: Value) => compareOrder('>', a, b),
  '>=': (a: Value, b: Value) => compareOrder('>=', a, b),
  in: (a: Value, b: Value) => contains(b, a),
  'not in': (a: Value, b: Value) => !contains(b, a),
  is: isSame,
  'is not': (a: Value, b: Value) => !isSame(a, b),
} as const;
