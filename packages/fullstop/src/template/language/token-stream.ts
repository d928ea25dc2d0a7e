import { quote } from '../text/python-text.js';
import { describeToken, describeType, SyntaxFault, type Token, type TokenType } from './token.js';

/** The nested levels an expression or a block may have. */
const depthLimit = 200;

/** Reads tokens one after the other. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#check();
  }

  get current(): Token {
    return this.#tokens[this.#index] as Token;
  }

  /** The token after the current one. */
  get following(): Token {
    const token = this.#tokens[Math.min(this.#index + 1, this.#tokens.length - 1)] as Token;
    if (token.fault !== undefined) throw token.fault;
    return token;
  }

  next(): Token {
    const token = this.current;
    if (this.#index < this.#tokens.length - 1) this.#index += 1;
    this.#check();
    return token;
  }

  /** Whether the current token is this name. */
  isName(...names: readonly string[]): boolean {
    return this.current.type === 'name' && names.includes(this.current.text);
  }

  /** Whether the current token is one of these operators. */
  isOperator(...operators: readonly string[]): boolean {
    return this.current.type === 'operator' && operators.includes(this.current.text);
  }

  skipName(name: string): boolean {
    if (!this.isName(name)) return false;
    this.next();
    return true;
  }

  skipOperator(operator: string): boolean {
    if (!this.isOperator(operator)) return false;
    this.next();
    return true;
  }

  expectOperator(operator: string): Token {
    if (!this.isOperator(operator)) throw this.#unmet(operator);
    return this.next();
  }

  expectName(name: string): Token {
    if (!this.isName(name)) throw this.#unmet(name);
    return this.next();
  }

  expect(type: TokenType): Token {
    if (this.current.type !== type) throw this.#unmet(describeType(type));
    return this.next();
  }

  /** Reads something one level deeper. */
  nested<T>(read: () => T): T {
    if (this.#depth >= depthLimit) throw new SyntaxFault('too many nested levels', this.current.at);
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #unmet(expected: string): SyntaxFault {
    const { at, type } = this.current;
    if (type === 'eof') return new SyntaxFault(`unexpected end of template, expected ${quote(expected)}.`, at);
    return new SyntaxFault(`expected token ${quote(expected)}, got ${quote(describeToken(this.current))}`, at);
  }

  #check(): void {
    const { fault } = this.current;
    if (fault !== undefined) throw fault;
  }
}
