import type { BinaryOperator } from '../operators/arithmetic.js';
import { quote, toText } from '../text/python-text.js';
import { isText } from '../value.js';
import type { Arguments, Comparison, Expression, FilterExpression, Slice } from './ast.js';
import { describeToken, SyntaxFault, type Token } from './token.js';
import type { TokenStream } from './token-stream.js';

/** How long a chain of operators, members or filters may be. */
const chainLimit = 500;
const comparisons: readonly string[] = ['==', '!=', '<', '<=', '>', '>='];
const noArguments: Arguments = { positional: [], named: [] };

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

/** How a comma-separated expression is read. */
export interface TupleOptions {
  readonly conditional?: boolean;
  /** Names that end it. */
  readonly until?: readonly string[];
  /** Inside parentheses nothing at all is an empty tuple. */
  readonly parentheses?: boolean;
  readonly item?: () => Expression;
}

/** Reads the expressions of templates. The plain language overrides what differs. */
export class ExpressionParser {
  readonly stream: TokenStream;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  /** Reads an expression, with an inline if unless that is excluded. */
  expression(conditional = true): Expression {
    return this.stream.nested(() => (conditional ? this.conditional() : this.disjunction()));
  }

  protected conditional(): Expression {
    let then = this.disjunction();
    for (let count = 0; this.stream.isName('if'); count += 1) {
      this.limit(count);
      const { at } = this.stream.next();
      const test = this.disjunction();
      const otherwise = this.stream.skipName('else') ? this.stream.nested(() => this.conditional()) : undefined;
      then = { kind: 'conditional', test, then, otherwise, at };
    }
    return then;
  }

  protected disjunction(): Expression {
    let left = this.#conjunction();
    for (let count = 0; this.stream.isName('or'); count += 1) {
      this.limit(count);
      const { at } = this.stream.next();
      left = { kind: 'logical', operator: 'or', left, right: this.#conjunction(), at };
    }
    return left;
  }

  #conjunction(): Expression {
    let left = this.#negation();
    for (let count = 0; this.stream.isName('and'); count += 1) {
      this.limit(count);
      const { at } = this.stream.next();
      left = { kind: 'logical', operator: 'and', left, right: this.#negation(), at };
    }
    return left;
  }

  #negation(): Expression {
    if (!this.stream.isName('not')) return this.#comparison();
    const { at } = this.stream.next();
    return { kind: 'not', operand: this.stream.nested(() => this.#negation()), at };
  }

  #comparison(): Expression {
    const { at } = this.stream.current;
    const first = this.operand();
    const rest: { operator: Comparison; operand: Expression }[] = [];
    for (let operator = this.comparison(); operator !== undefined; operator = this.comparison()) {
      this.limit(rest.length);
      rest.push({ operator, operand: this.operand() });
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest, at };
  }

  /** Takes a comparison operator, if there is one. */
  protected comparison(): Comparison | undefined {
    const { type, text } = this.stream.current;
    if (type === 'operator' && comparisons.includes(text)) {
      this.stream.next();
      return text as Comparison;
    }
    if (this.stream.skipName('in')) return 'in';
    if (!this.stream.isName('not') || this.stream.following.text !== 'in' || this.stream.following.type !== 'name')
      return undefined;
    this.stream.next();
    this.stream.next();
    return 'not in';
  }

  /** The operands of a comparison: in templates sums, of joined texts, of products, of powers. */
  protected operand(): Expression {
    return this.binary(['+', '-'], () => this.#joined());
  }

  #joined(): Expression {
    const { at } = this.stream.current;
    const product = (): Expression =>
      this.binary(['*', '/', '//', '%'], () => this.binary(['**'], () => this.prefixed(true)));
    const parts = [product()];
    while (this.stream.isOperator('~')) {
      this.limit(parts.length);
      this.stream.next();
      parts.push(product());
    }
    return parts.length === 1 ? (parts[0] as Expression) : { kind: 'concat', parts, at };
  }

  /** Reads operators of one level, which group from the left. */
  protected binary(operators: readonly string[], operand: () => Expression): Expression {
    let left = operand();
    for (let count = 0; this.stream.isOperator(...operators); count += 1) {
      this.limit(count);
      const { at, text } = this.stream.next();
      left = { kind: 'binary', operator: text as BinaryOperator, left, right: operand(), at };
    }
    return left;
  }

  protected prefixed(filters: boolean): Expression {
    const { at, text } = this.stream.current;
    let node: Expression;
    if (this.stream.isOperator('-', '+')) {
      this.stream.next();
      const operand = this.stream.nested(() => this.prefixed(false));
      node = { kind: 'unary', operator: text as '-' | '+', operand, at };
    } else {
      node = this.primary();
    }
    const extended = this.postfixed(node);
    return filters ? this.#filtered(extended) : extended;
  }

  /** Reads a name, literal or bracketed expression. */
  primary(): Expression {
    const token = this.stream.current;
    const { at } = token;
    switch (token.type) {
      case 'name':
        return this.named(this.stream.next());
      case 'string':
        return { kind: 'constant', value: this.#texts(), at };
      case 'integer':
      case 'float':
        this.stream.next();
        return { kind: 'constant', value: token.value ?? null, at };
      case 'operator':
        return this.bracketed(token);
      default:
        throw unexpected(token);
    }
  }

  protected named({ at, text }: Token): Expression {
    const constant = constants.get(text);
    return constant === undefined ? { kind: 'name', name: text, at } : { kind: 'constant', value: constant, at };
  }

  /** Neighbouring texts are one. */
  #texts(): string {
    let text = '';
    while (this.stream.current.type === 'string') {
      const { value } = this.stream.next();
      text += value !== undefined && isText(value) ? toText(value) : '';
    }
    return text;
  }

  protected bracketed(token: Token): Expression {
    const { at } = token;
    switch (token.text) {
      case '(': {
        this.stream.next();
        const inner = this.stream.nested(() => this.tuple({ parentheses: true }));
        this.stream.expectOperator(')');
        return inner;
      }
      case '[':
        this.stream.next();
        return { kind: 'list', items: this.stream.nested(() => this.#items(']')), at };
      case '{':
        this.stream.next();
        return { kind: 'dict', entries: this.stream.nested(() => this.#entries()), at };
      default:
        throw unexpected(token);
    }
  }

  #items(close: string): Expression[] {
    const items: Expression[] = [];
    while (!this.stream.isOperator(close)) {
      if (items.length > 0) this.stream.expectOperator(',');
      if (this.stream.isOperator(close)) break;
      items.push(this.expression());
    }
    this.stream.expectOperator(close);
    return items;
  }

  #entries(): (readonly [Expression, Expression])[] {
    const entries: (readonly [Expression, Expression])[] = [];
    while (!this.stream.isOperator('}')) {
      if (entries.length > 0) this.stream.expectOperator(',');
      if (this.stream.isOperator('}')) break;
      const key = this.expression();
      this.stream.expectOperator(':');
      entries.push([key, this.expression()]);
    }
    this.stream.expectOperator('}');
    return entries;
  }

  /** Reads one expression, or a tuple when there is a comma. */
  tuple(options: TupleOptions = {}): Expression {
    const { at } = this.stream.current;
    const read = options.item ?? (() => this.expression(options.conditional !== false));
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) this.stream.expectOperator(',');
      if (this.#tupleEnds(options.until)) break;
      items.push(read());
      if (!this.stream.isOperator(',')) break;
      isTuple = true;
    }
    const [only] = items;
    if (!isTuple && only !== undefined) return only;
    if (!isTuple && options.parentheses !== true) {
      throw new SyntaxFault(
        `Expected an expression, got ${quote(describeToken(this.stream.current))}`,
        this.stream.current.at,
      );
    }
    return { kind: 'tuple', items, at };
  }

  #tupleEnds(until: readonly string[] | undefined): boolean {
    const { type } = this.stream.current;
    if (type === 'variable_end' || type === 'block_end' || this.stream.isOperator(')')) return true;
    return until !== undefined && this.stream.isName(...until);
  }

  /** Members, subscripts and calls after an expression. */
  protected postfixed(node: Expression): Expression {
    let extended = node;
    for (let count = 0; ; count += 1) {
      this.limit(count);
      if (this.stream.isOperator('.')) extended = this.#member(extended);
      else if (this.stream.isOperator('[')) extended = this.#subscript(extended);
      else if (this.stream.isOperator('(')) extended = this.call(extended);
      else return extended;
    }
  }

  #member(object: Expression): Expression {
    this.stream.next();
    const token = this.stream.next();
    if (token.type === 'name') return { kind: 'attribute', object, name: token.text, at: object.at };
    return this.indexed(object, token, object.at);
  }

  /** A number after a point, which only templates have. */
  protected indexed(object: Expression, token: Token, at: number): Expression {
    if (token.type !== 'integer') throw new SyntaxFault('expected name or number', token.at);
    return { kind: 'subscript', object, key: { kind: 'constant', value: token.value ?? null, at: token.at }, at };
  }

  #subscript(object: Expression): Expression {
    this.stream.next();
    const { at } = object;
    const keys: (Expression | Slice)[] = [];
    while (!this.stream.isOperator(']')) {
      if (keys.length > 0) this.stream.expectOperator(',');
      keys.push(this.stream.nested(() => this.#key()));
    }
    this.stream.expectOperator(']');
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) return { kind: 'subscript', object, key: only, at };
    const items = keys.filter((key): key is Expression => key.kind !== 'slice');
    return { kind: 'subscript', object, key: { kind: 'tuple', items, at }, at };
  }

  #key(): Expression | Slice {
    const { at } = this.stream.current;
    const start = this.stream.isOperator(':') ? undefined : this.expression();
    if (start !== undefined && !this.stream.isOperator(':')) return start;
    this.stream.expectOperator(':');
    const stop = this.stream.isOperator(']', ',', ':') ? undefined : this.expression();
    const step = this.stream.skipOperator(':') && !this.stream.isOperator(']', ',') ? this.expression() : undefined;
    return { kind: 'slice', start, stop, step, at };
  }

  call(callee: Expression): Expression {
    return { kind: 'call', callee, args: this.stream.nested(() => this.arguments()), at: callee.at };
  }

  protected arguments(): Arguments {
    const { at } = this.stream.expectOperator('(');
    const positional: Expression[] = [];
    const named: { name: string; value: Expression }[] = [];
    let spread: Expression | undefined;
    let spreadNamed: Expression | undefined;
    const ensure = (holds: boolean): void => {
      if (!holds) throw new SyntaxFault('invalid syntax for function call expression', at);
    };
    for (let first = true; !this.stream.isOperator(')'); first = false) {
      if (!first) this.stream.expectOperator(',');
      if (this.stream.isOperator(')')) break;
      if (this.stream.skipOperator('*')) {
        ensure(spread === undefined && spreadNamed === undefined);
        spread = this.expression();
      } else if (this.stream.skipOperator('**')) {
        ensure(spreadNamed === undefined);
        spreadNamed = this.expression();
      } else if (this.stream.current.type === 'name' && this.stream.following.text === '=') {
        ensure(spreadNamed === undefined);
        named.push(this.#namedArgument());
      } else {
        ensure(spread === undefined && spreadNamed === undefined && named.length === 0);
        positional.push(this.expression());
      }
    }
    this.stream.expectOperator(')');
    return { positional, named, spread, spreadNamed };
  }

  #namedArgument(): { name: string; value: Expression } {
    const { text } = this.stream.next();
    this.stream.next();
    return { name: text, value: this.expression() };
  }

  #filtered(node: Expression): Expression {
    let extended = node;
    for (let count = 0; ; count += 1) {
      this.limit(count);
      if (this.stream.skipOperator('|')) extended = this.filter(extended);
      else if (this.stream.isName('is')) extended = this.#test(extended);
      else if (this.stream.isOperator('(')) extended = this.call(extended);
      else return extended;
    }
  }

  /** Reads a filter's name and arguments. */
  filter(subject: Expression | undefined): FilterExpression {
    const { at } = this.stream.current;
    const name = this.#dottedName();
    const args = this.stream.isOperator('(') ? this.stream.nested(() => this.arguments()) : noArguments;
    return { kind: 'filter', name, subject, args, at };
  }

  #dottedName(): string {
    let name = this.stream.expect('name').text;
    while (this.stream.skipOperator('.')) name += `.${this.stream.expect('name').text}`;
    return name;
  }

  #test(subject: Expression): Expression {
    const { at } = this.stream.next();
    const negated = this.stream.skipName('not');
    const name = this.#dottedName();
    const test: Expression = { kind: 'test', name, subject, args: this.#testArguments(), at };
    return negated ? { kind: 'not', operand: test, at } : test;
  }

  #testArguments(): Arguments {
    if (this.stream.isOperator('(')) return this.stream.nested(() => this.arguments());
    const { type, text, at } = this.stream.current;
    const starts = ['name', 'string', 'integer', 'float'].includes(type) || this.stream.isOperator('[', '{');
    if (!starts || (type === 'name' && ['else', 'or', 'and'].includes(text))) return noArguments;
    if (this.stream.isName('is')) throw new SyntaxFault('You cannot chain multiple tests with is', at);
    return { positional: [this.postfixed(this.primary())], named: [] };
  }

  protected limit(count: number): void {
    if (count >= chainLimit) throw new SyntaxFault('the expression is too long', this.stream.current.at);
  }
}

function unexpected(token: Token): SyntaxFault {
  return new SyntaxFault(`unexpected ${quote(describeToken(token))}`, token.at);
}
