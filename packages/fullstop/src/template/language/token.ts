import { Fault } from '../evaluate/fault.js';
import type { Value } from '../value.js';

export type TokenType =
  | 'data'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'name'
  | 'string'
  | 'fstring'
  | 'integer'
  | 'float'
  | 'operator'
  | 'eof'
  | 'fault';

/** A piece of source text. */
export interface Token {
  readonly type: TokenType;
  /** The text of a name, an operator or data; for the rest how it was written. */
  readonly text: string;
  /** The value of a literal. */
  readonly value?: Value;
  readonly at: number;
  /** Only on a fault: what is wrong here; it counts when the parser gets this far. */
  readonly fault?: SyntaxFault;
}

/** A text that is not in the language. */
export class SyntaxFault extends Fault {
  readonly at: number;

  constructor(message: string, at: number, errorType = 'TemplateSyntaxError') {
    super('syntax', errorType, message);
    this.at = at;
  }
}

const descriptions: ReadonlyMap<TokenType, string> = new Map([
  ['block_begin', 'begin of statement block'],
  ['block_end', 'end of statement block'],
  ['variable_begin', 'begin of print statement'],
  ['variable_end', 'end of print statement'],
  ['data', 'template data / text'],
  ['eof', 'end of template'],
]);

/** How messages call a token. */
export function describeToken(token: Token): string {
  if (token.type === 'name' || token.type === 'operator') return token.text;
  return describeType(token.type);
}

/** How messages call a kind of token. */
export function describeType(type: TokenType): string {
  return descriptions.get(type) ?? type;
}
