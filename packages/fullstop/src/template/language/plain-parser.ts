import { AttributesValue } from '../library/object-values.js';
import { textLength } from '../text/code-points.js';
import type { Arguments, Comparison, Expression } from './ast.js';
import { ExpressionParser } from './expression-parser.js';
import { parseJoined } from './joined-string.js';
import { plainTokens } from './scanner.js';
import { SyntaxFault, type Token } from './token.js';
import { TokenStream } from './token-stream.js';

const keywords: ReadonlySet<string> = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
const augmented: readonly string[] = ['+=', '-=', '*=', '/=', '//=', '%=', '**=', '&=', '|=', '^=', '<<=', '>>='];
const ellipsis = new AttributesValue('ellipsis', 'Ellipsis', new Map());
const literalLimit = 100_000;

/** The failure for a text that is no expression, in the words of Python. */
export function invalidSyntax(at: number, message = 'invalid syntax'): SyntaxFault {
  return new SyntaxFault(message, at, 'SyntaxError');
}

/** Reads a condition of the plain language: the first of its statements counts. */
export function parsePlain(source: string): Expression {
  const tokens = plainTokens(source);
  checkBrackets(tokens);
  if (tokens.length === 1) throw new SyntaxFault('Sorry, cannot evaluate empty string', 0, 'InvalidExpression');
  return parseWith(tokens, source, (parser) => parser.statements());
}

/** Reads the expression between two offsets of a formatted string. */
function parseField(source: string, from: number, to: number): Expression {
  return parseWith(plainTokens(source, from, to), source, (parser) => parser.whole());
}

function parseWith(tokens: readonly Token[], source: string, read: (parser: PlainParser) => Expression): Expression {
  try {
    return read(new PlainParser(new TokenStream(tokens), source));
  } catch (error) {
    if (!(error instanceof SyntaxFault) || error.errorType !== 'TemplateSyntaxError') throw error;
    throw invalidSyntax(error.at);
  }
}

function checkBrackets(tokens: readonly Token[]): void {
  const open: Token[] = [];
  const pairs = new Map([
    [')', '('],
    [']', '['],
    ['}', '{'],
  ]);
  for (const token of tokens) {
    if (token.type === 'fault') return;
    if (token.type !== 'operator') continue;
    if ('([{'.includes(token.text)) open.push(token);
    const opener = pairs.get(token.text);
    if (opener !== undefined && open.pop()?.text !== opener) throw invalidSyntax(token.at, `unmatched '${token.text}'`);
  }
  const last = open.at(-1);
  if (last !== undefined) throw invalidSyntax(last.at, `'${last.text}' was never closed`);
}

class PlainParser extends ExpressionParser {
  readonly #source: string;

  constructor(stream: TokenStream, source: string) {
    super(stream);
    this.#source = source;
  }

  statements(): Expression {
    const first = this.#statement();
    while (this.stream.skipOperator(';')) {
      if (this.stream.current.type === 'eof') break;
      this.#statement();
    }
    if (this.stream.current.type !== 'eof') throw invalidSyntax(this.stream.current.at);
    return first;
  }

  whole(): Expression {
    const value = this.tuple();
    if (this.stream.current.type !== 'eof') throw invalidSyntax(this.stream.current.at);
    return value;
  }

  /** An assignment counts as the value it would assign. */
  #statement(): Expression {
    if (this.stream.isName('import')) return this.#import();
    const { at } = this.stream.current;
    let value = this.tuple();
    for (;;) {
      if (!this.stream.isOperator('=', ...augmented)) break;
      if (!isAssignable(value)) throw invalidSyntax(at);
      this.stream.next();
      value = this.tuple();
    }
    return value;
  }

  #import(): Expression {
    const { at } = this.stream.next();
    while (this.stream.current.type === 'name' || this.stream.isOperator('.', ',')) this.stream.next();
    return { kind: 'refused', message: "Sorry, 'import' is not allowed.", at };
  }

  override tuple(options: Parameters<ExpressionParser['tuple']>[0] = {}): Expression {
    if (this.stream.current.type === 'eof') throw invalidSyntax(this.stream.current.at);
    const value = super.tuple(options);
    return value.kind === 'tuple' ? unavailable('Tuple', value.at) : value;
  }

  protected override conditional(): Expression {
    if (this.stream.isName('lambda')) return this.#lambda();
    const then = this.disjunction();
    if (!this.stream.isName('if')) return then;
    const { at } = this.stream.next();
    const test = this.disjunction();
    if (!this.stream.skipName('else')) throw invalidSyntax(at, "expected 'else' after 'if' expression");
    return { kind: 'conditional', test, then, otherwise: this.stream.nested(() => this.conditional()), at };
  }

  #lambda(): Expression {
    const { at } = this.stream.next();
    while (!this.stream.isOperator(':') && this.stream.current.type !== 'eof') this.stream.next();
    this.stream.expectOperator(':');
    this.stream.nested(() => this.conditional());
    return unavailable('Lambda', at);
  }

  protected override comparison(): Comparison | undefined {
    if (!this.stream.skipName('is')) return super.comparison();
    return this.stream.skipName('not') ? 'is not' : 'is';
  }

  protected override operand(): Expression {
    const term = (): Expression => this.binary(['*', '/', '//', '%'], () => this.prefixed());
    const sum = (): Expression => this.binary(['+', '-'], term);
    const shift = (): Expression => this.binary(['<<', '>>'], sum);
    const and = (): Expression => this.binary(['&'], shift);
    return this.binary(['|'], () => this.binary(['^'], and));
  }

  /** A power binds tighter than a sign before it, and groups from the right. */
  protected override prefixed(): Expression {
    const { at, text } = this.stream.current;
    if (this.stream.isOperator('-', '+', '~')) {
      this.stream.next();
      const operand = this.stream.nested(() => this.prefixed());
      return { kind: 'unary', operator: text as '-' | '+' | '~', operand, at };
    }
    const base = this.postfixed(this.primary());
    if (!this.stream.isOperator('**')) return base;
    this.stream.next();
    return { kind: 'binary', operator: '**', left: base, right: this.stream.nested(() => this.prefixed()), at };
  }

  protected override named({ at, text }: Token): Expression {
    if (text === 'True' || text === 'False') return { kind: 'constant', value: text === 'True', at };
    if (text === 'None') return { kind: 'constant', value: null, at };
    if (keywords.has(text)) throw invalidSyntax(at);
    return { kind: 'name', name: text, at };
  }

  override primary(): Expression {
    const { at, type } = this.stream.current;
    if (type !== 'string' && type !== 'fstring') return super.primary();
    const parts: ReturnType<typeof parseJoined> = [];
    while (this.stream.current.type === 'string' || this.stream.current.type === 'fstring') {
      const token = this.stream.next();
      if (token.type === 'fstring') parts.push(...parseJoined(this.#source, token, parseField));
      else parts.push(String(token.value));
    }
    if (parts.some((part) => typeof part !== 'string')) return { kind: 'joined', parts, at };
    return literal(parts.join(''), at);
  }

  protected override bracketed(token: Token): Expression {
    const { at, text } = token;
    if (text === '...') {
      this.stream.next();
      return { kind: 'constant', value: ellipsis, at };
    }
    if (text === '(') return this.#parenthesised();
    if (text === '[') return this.#collection(']', 'List');
    if (text === '{') return this.#collection('}', 'Dict');
    throw invalidSyntax(at);
  }

  #parenthesised(): Expression {
    const { at } = this.stream.next();
    return this.stream.nested(() => {
      if (this.stream.skipOperator(')')) return unavailable('Tuple', at);
      const first = this.expression();
      if (this.stream.isOperator(':=')) return this.#assigned(at);
      if (this.stream.isName('for')) {
        this.#comprehension();
        this.stream.expectOperator(')');
        return unavailable('GeneratorExp', at);
      }
      const isTuple = this.stream.isOperator(',');
      while (this.stream.skipOperator(',')) if (!this.stream.isOperator(')')) this.expression();
      this.stream.expectOperator(')');
      return isTuple ? unavailable('Tuple', at) : first;
    });
  }

  #assigned(at: number): Expression {
    this.stream.next();
    this.expression();
    this.stream.expectOperator(')');
    return unavailable('NamedExpr', at);
  }

  /** Reads a list, set or dict, of which nothing is needed but its kind. */
  #collection(close: string, kind: 'List' | 'Dict'): Expression {
    const { at } = this.stream.next();
    return this.stream.nested(() => {
      let name: string = kind;
      for (let first = true; !this.stream.isOperator(close); first = false) {
        if (!first) this.stream.expectOperator(',');
        if (this.stream.isOperator(close)) break;
        const paired = this.#item();
        if (kind === 'Dict' && !paired) name = 'Set';
        if (this.stream.isName('for')) {
          this.#comprehension();
          name = `${name}Comp`;
        }
      }
      this.stream.expectOperator(close);
      return unavailable(name, at);
    });
  }

  /** Reads an element; true when it is a key with its value. */
  #item(): boolean {
    const spread = this.stream.skipOperator('**');
    if (!spread) this.stream.skipOperator('*');
    this.expression();
    if (!this.stream.skipOperator(':')) return spread;
    this.expression();
    return true;
  }

  #comprehension(): void {
    while (this.stream.skipName('for')) {
      this.primary();
      while (this.stream.skipOperator(',')) this.primary();
      this.stream.expectName('in');
      this.disjunction();
      while (this.stream.skipName('if')) this.disjunction();
    }
  }

  protected override indexed(_object: Expression, token: Token): Expression {
    throw invalidSyntax(token.at);
  }

  protected override arguments(): Arguments {
    const { at } = this.stream.current;
    const args = super.arguments();
    if (args.spread === undefined && args.spreadNamed === undefined) return args;
    return { positional: [unavailable('Starred', at)], named: [] };
  }
}

function isAssignable(node: Expression): boolean {
  return ['name', 'attribute', 'subscript', 'refused'].includes(node.kind);
}

function unavailable(kind: string, at: number): Expression {
  return { kind: 'refused', message: `Sorry, ${kind} is not available in this evaluator`, at };
}

function literal(text: string, at: number): Expression {
  const length = text.length > literalLimit ? textLength(text) : 0;
  if (length <= literalLimit) return { kind: 'constant', value: text, at };
  return { kind: 'refused', message: `Literal in statement is too long! (${length}, when ${literalLimit} is max)`, at };
}
