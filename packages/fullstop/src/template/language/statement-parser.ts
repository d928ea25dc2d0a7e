import { quote } from '../text/python-text.js';
import { isSpace } from '../text/whitespace.js';
import type { BlockStatement, CallExpression, Expression, IfStatement, Parameters, Statement, Target } from './ast.js';
import { ExpressionParser } from './expression-parser.js';
import { templateTokens } from './template-lexer.js';
import { SyntaxFault } from './token.js';
import { TokenStream } from './token-stream.js';

/** Reads a template, whose lines end in `\n` only. */
export function parseTemplate(source: string): Statement[] {
  const parser = new StatementParser(new TokenStream(templateTokens(source)));
  return parser.template();
}

const reserved: ReadonlySet<string> = new Set(['true', 'false', 'none', 'True', 'False', 'None']);

class StatementParser {
  readonly #stream: TokenStream;
  readonly #expressions: ExpressionParser;
  readonly #ends: (readonly string[])[] = [];
  readonly #tags: string[] = [];

  constructor(stream: TokenStream) {
    this.#stream = stream;
    this.#expressions = new ExpressionParser(stream);
  }

  template(): Statement[] {
    return this.#body([]);
  }

  /** Reads statements up to one of the end tags, which stays the current token. */
  #body(ends: readonly string[]): Statement[] {
    const body: Statement[] = [];
    if (ends.length > 0) this.#ends.push(ends);
    while (this.#stream.current.type !== 'eof') {
      const token = this.#stream.next();
      if (token.type === 'data') body.push({ kind: 'data', text: token.text, at: token.at });
      else if (token.type === 'variable_begin') {
        body.push({ kind: 'output', value: this.#expressions.tuple(), at: token.at });
        this.#stream.expect('variable_end');
      } else {
        if (this.#stream.isName(...ends)) {
          this.#ends.pop();
          return body;
        }
        body.push(...this.#stream.nested(() => this.#statement()));
        this.#stream.expect('block_end');
      }
    }
    if (ends.length > 0) {
      this.#ends.pop();
      throw this.#unknown(undefined, [...this.#ends, ends], this.#stream.current.at);
    }
    return body;
  }

  /** Reads a block's body and its end tag. */
  #closedBody(end: string): Statement[] {
    const body = this.#openBody([end]);
    this.#stream.next();
    return body;
  }

  /** Reads a block's body up to one of several tags. */
  #openBody(ends: readonly string[]): Statement[] {
    this.#stream.skipOperator(':');
    this.#stream.expect('block_end');
    return this.#body(ends);
  }

  #unknown(name: string | undefined, ends: readonly (readonly string[])[], at: number): SyntaxFault {
    const parts = [name === undefined ? 'Unexpected end of template.' : `Encountered unknown tag ${quote(name)}.`];
    const wanted = ends
      .at(-1)
      ?.map((end) => quote(end))
      .join(' or ');
    if (wanted !== undefined) {
      const misplaced = name !== undefined && ends.some((tags) => tags.includes(name));
      parts.push(
        misplaced
          ? `You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${wanted}.`
          : `Jinja was looking for the following tags: ${wanted}.`,
      );
    }
    const innermost = this.#tags.at(-1);
    if (innermost !== undefined) parts.push(`The innermost block that needs to be closed is ${quote(innermost)}.`);
    return new SyntaxFault(parts.join(' '), at);
  }

  #statement(): readonly Statement[] {
    const token = this.#stream.current;
    if (token.type !== 'name') throw new SyntaxFault('tag name expected', token.at);
    const read = this.#readers.get(token.text);
    if (read === undefined) throw this.#unknown(token.text, this.#ends, token.at);
    this.#tags.push(token.text);
    this.#stream.next();
    const statements = read(token.at);
    this.#tags.pop();
    return statements;
  }

  readonly #readers: ReadonlyMap<string, (at: number) => readonly Statement[]> = new Map([
    ['for', (at) => [this.#for(at)]],
    ['if', (at) => [this.#if(at)]],
    ['block', (at) => [this.#block(at)]],
    ['extends', (at) => [{ kind: 'extends', template: this.#expressions.expression(), at }]],
    ['print', (at) => this.#print(at)],
    ['macro', (at) => [this.#macro(at)]],
    ['include', (at) => [this.#include(at)]],
    ['from', (at) => [this.#from(at)]],
    ['import', (at) => [this.#import(at)]],
    ['set', (at) => [this.#set(at)]],
    ['with', (at) => [this.#with(at)]],
    [
      'autoescape',
      (at) => [
        { kind: 'autoescape', value: this.#expressions.expression(), body: this.#closedBody('endautoescape'), at },
      ],
    ],
    ['call', (at) => [this.#call(at)]],
    [
      'filter',
      (at) => [{ kind: 'filter-block', filter: this.#filterChain(), body: this.#closedBody('endfilter'), at }],
    ],
  ]);

  #print(at: number): Statement[] {
    const printed: Statement[] = [];
    while (this.#stream.current.type !== 'block_end') {
      if (printed.length > 0) this.#stream.expectOperator(',');
      printed.push({ kind: 'output', value: this.#expressions.expression(), at });
    }
    return printed;
  }

  #for(at: number): Statement {
    const target = this.#target({ until: ['in'] });
    this.#stream.expectName('in');
    const source = this.#expressions.tuple({ conditional: false, until: ['recursive'] });
    const test = this.#stream.skipName('if') ? this.#expressions.expression() : undefined;
    const recursive = this.#stream.skipName('recursive');
    const body = this.#openBody(['endfor', 'else']);
    const otherwise = this.#stream.next().text === 'else' ? this.#closedBody('endfor') : [];
    return { kind: 'for', target, source, test, recursive, body, otherwise, at };
  }

  #if(at: number): Statement {
    const branches: { test: Expression; body: Statement[] }[] = [];
    let otherwise: IfStatement['otherwise'] = [];
    for (;;) {
      const test = this.#expressions.tuple({ conditional: false });
      branches.push({ test, body: this.#openBody(['elif', 'else', 'endif']) });
      const end = this.#stream.next().text;
      if (end === 'elif') continue;
      if (end === 'else') otherwise = this.#closedBody('endif');
      return { kind: 'if', branches, otherwise, at };
    }
  }

  #block(at: number): BlockStatement {
    const name = this.#stream.expect('name').text;
    const scoped = this.#stream.skipName('scoped');
    const required = this.#stream.skipName('required');
    if (this.#stream.isOperator('-')) {
      const message =
        'Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.';
      throw new SyntaxFault(message, this.#stream.current.at);
    }
    const body = this.#closedBody('endblock');
    if (required && !body.every(isBlank)) {
      throw new SyntaxFault('Required blocks can only contain comments or whitespace', this.#stream.current.at);
    }
    this.#stream.skipName(name);
    return { kind: 'block', name, scoped, required, body, at };
  }

  #macro(at: number): Statement {
    const name = this.#name();
    const parameters = this.#parameters();
    return { kind: 'macro', name, parameters, body: this.#closedBody('endmacro'), at };
  }

  #call(at: number): Statement {
    const parameters = this.#stream.isOperator('(') ? this.#parameters() : { names: [], defaults: [] };
    const call = this.#expressions.expression();
    if (call.kind !== 'call') throw new SyntaxFault('expected call', at);
    return {
      kind: 'call-block',
      call: call satisfies CallExpression,
      parameters,
      body: this.#closedBody('endcall'),
      at,
    };
  }

  #parameters(): Parameters {
    const names: string[] = [];
    const defaults: Expression[] = [];
    this.#stream.expectOperator('(');
    while (!this.#stream.isOperator(')')) {
      if (names.length > 0) this.#stream.expectOperator(',');
      names.push(this.#name());
      if (this.#stream.skipOperator('=')) defaults.push(this.#expressions.expression());
      else if (defaults.length > 0) {
        throw new SyntaxFault('non-default argument follows default argument', this.#stream.current.at);
      }
    }
    this.#stream.next();
    return { names, defaults };
  }

  #filterChain(): Extract<Expression, { kind: 'filter' }> {
    let filter = this.#expressions.filter(undefined);
    while (this.#stream.skipOperator('|')) filter = this.#expressions.filter(filter);
    return filter;
  }

  #include(at: number): Statement {
    const template = this.#expressions.expression();
    const ignoreMissing = this.#stream.isName('ignore') && this.#stream.following.text === 'missing';
    if (ignoreMissing) {
      this.#stream.next();
      this.#stream.next();
    }
    return { kind: 'include', template, ignoreMissing, withContext: this.#context() ?? true, at };
  }

  #import(at: number): Statement {
    const template = this.#expressions.expression();
    this.#stream.expectName('as');
    const target = this.#name();
    return { kind: 'import', template, target, withContext: this.#context() ?? false, at };
  }

  #from(at: number): Statement {
    const template = this.#expressions.expression();
    this.#stream.expectName('import');
    const names: { name: string; alias: string }[] = [];
    let withContext = this.#context();
    while (withContext === undefined) {
      if (names.length > 0) this.#stream.expectOperator(',');
      withContext = this.#context();
      if (withContext !== undefined) break;
      if (this.#stream.current.type !== 'name') this.#stream.expect('name');
      names.push(this.#imported());
      withContext = this.#context();
      if (!this.#stream.isOperator(',')) break;
    }
    return { kind: 'from', template, names, withContext: withContext ?? false, at };
  }

  #imported(): { name: string; alias: string } {
    const { at } = this.#stream.current;
    const name = this.#name();
    if (name.startsWith('_')) throw new SyntaxFault('names starting with an underline can not be imported', at);
    return { name, alias: this.#stream.skipName('as') ? this.#name() : name };
  }

  /** Reads `with context` or `without context`. */
  #context(): boolean | undefined {
    if (!this.#stream.isName('with', 'without') || this.#stream.following.text !== 'context') return undefined;
    const wanted = this.#stream.next().text === 'with';
    this.#stream.next();
    return wanted;
  }

  #set(at: number): Statement {
    const target = this.#target({ members: true });
    if (this.#stream.skipOperator('=')) return { kind: 'set', target, value: this.#expressions.tuple(), at };
    const filter = this.#stream.skipOperator('|') ? this.#filterChain() : undefined;
    return { kind: 'set-block', target, filter, body: this.#closedBody('endset'), at };
  }

  #with(at: number): Statement {
    const bindings: { target: Target; value: Expression }[] = [];
    while (this.#stream.current.type !== 'block_end') {
      if (bindings.length > 0) this.#stream.expectOperator(',');
      const target = this.#target({});
      this.#stream.expectOperator('=');
      bindings.push({ target, value: this.#expressions.expression() });
    }
    return { kind: 'with', bindings, body: this.#closedBody('endwith'), at };
  }

  #name(): string {
    const { at, text } = this.#stream.expect('name');
    if (reserved.has(text)) throw new SyntaxFault("can't assign to 'name'", at);
    return text;
  }

  #target(options: { until?: readonly string[]; members?: boolean }): Target {
    if (options.members === true && this.#stream.current.type === 'name' && this.#stream.following.text === '.') {
      const { at, text } = this.#stream.next();
      this.#stream.next();
      return { kind: 'member', name: text, member: this.#stream.expect('name').text, at };
    }
    const item = (): Expression => this.#expressions.primary();
    return targetOf(this.#expressions.tuple({ until: options.until ?? [], item }));
  }
}

const targetNames: ReadonlyMap<Expression['kind'], string> = new Map([
  ['constant', 'const'],
  ['attribute', 'getattr'],
  ['subscript', 'getitem'],
  ['unary', 'neg'],
  ['conditional', 'condexpr'],
]);

function targetOf(node: Expression): Target {
  if (node.kind === 'name') return node;
  if (node.kind === 'tuple') return { kind: 'targets', items: node.items.map(targetOf), at: node.at };
  throw new SyntaxFault(`can't assign to ${quote(targetNames.get(node.kind) ?? node.kind)}`, node.at);
}

function isBlank(statement: Statement): boolean {
  return statement.kind === 'data' && [...statement.text].every((character) => isSpace(character.charCodeAt(0)));
}
