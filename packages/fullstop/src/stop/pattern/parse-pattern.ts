import { FullstopError } from '../../termination/errors/fullstop-error.js';

/** A regular expression as a tree. What matches one character stays as it was written. */
export type PatternNode =
  | { readonly type: 'character'; readonly source: string }
  | { readonly type: 'assertion'; readonly assertion: Assertion }
  | { readonly type: 'sequence'; readonly members: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly members: readonly PatternNode[] }
  | { readonly type: 'repetition'; readonly member: PatternNode; readonly least: number; readonly most: number };

export type Assertion = '^' | '$' | '\\b' | '\\B';

const quantifier = /(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/y;
const characterClass = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const groupStart = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]+:))?/y;
const legacyEscape = /\\(?:c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|0\d|[\s\S])/y;
const unicodeEscape = /\\(?:c[A-Za-z]|x[\dA-Fa-f]{2}|u(?:[\dA-Fa-f]{4}|\{[\dA-Fa-f]+\})|[pP]\{[^}]*\}|[\s\S])/y;
const unicodePair = /\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2}/y;

/** Parses a pattern that is known to be valid JavaScript. Refuses what could take a run hostage. */
export function parsePattern(source: string, unicode: boolean): PatternNode {
  return new Parser(source, unicode).parse();
}

class Parser {
  readonly #source: string;
  readonly #unicode: boolean;
  #position = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
  }

  parse(): PatternNode {
    const members = [this.#sequence()];
    while (this.#source[this.#position] === '|') {
      this.#position += 1;
      members.push(this.#sequence());
    }
    return members.length === 1 ? (members[0] as PatternNode) : { type: 'choice', members };
  }

  #sequence(): PatternNode {
    const members: PatternNode[] = [];
    while (this.#position < this.#source.length && !/[|)]/.test(this.#source[this.#position] as string)) {
      members.push(this.#repetition(this.#atom()));
    }
    return { type: 'sequence', members };
  }

  #repetition(member: PatternNode): PatternNode {
    const match = this.#take(quantifier);
    if (match === undefined) return member;
    const [least, most] = bounds(match);
    return { type: 'repetition', member, least, most };
  }

  #atom(): PatternNode {
    const next = this.#source[this.#position] as string;
    if (next === '(') return this.#group();
    if (next === '^' || next === '$') {
      this.#position += 1;
      return { type: 'assertion', assertion: next };
    }
    if (next === '\\') return this.#escape();
    return { type: 'character', source: this.#take(characterClass)?.[0] ?? this.#literal() };
  }

  #group(): PatternNode {
    const [start] = this.#take(groupStart) as RegExpExecArray;
    if (start !== '(' && start !== '(?:' && !/^\(\?<[^=!]/.test(start)) {
      throw this.#refused(`${start} is not supported: leave out look-around and modifiers`);
    }
    const node = this.parse();
    this.#position += 1;
    return node;
  }

  #escape(): PatternNode {
    const pair = this.#unicode ? this.#take(unicodePair) : undefined;
    if (pair !== undefined) return { type: 'character', source: pair[0] };
    const [source] = this.#take(this.#unicode ? unicodeEscape : legacyEscape) as RegExpExecArray;
    if (source === '\\b' || source === '\\B') return { type: 'assertion', assertion: source };
    if (/^\\[k1-9]$/.test(source)) throw this.#refused(`${source} refers back to what a group matched`);
    if (/^\\(?:c|0\d)$/.test(source)) throw this.#refused(`${source} is not a character in every mode`);
    return { type: 'character', source };
  }

  #literal(): string {
    const point = this.#source.codePointAt(this.#position) as number;
    const literal = this.#unicode ? String.fromCodePoint(point) : (this.#source[this.#position] as string);
    this.#position += literal.length;
    return literal;
  }

  #take(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#position;
    const match = sticky.exec(this.#source) ?? undefined;
    if (match !== undefined) this.#position = sticky.lastIndex;
    return match;
  }

  #refused(reason: string): FullstopError {
    return refusedPattern(this.#source, `${reason}, at character ${this.#position}`);
  }
}

/** The error for a pattern that must not be used. */
export function refusedPattern(source: string, reason: string): FullstopError {
  const message = `the pattern /${source}/ is refused: ${reason}`;
  return new FullstopError('INVALID_OPTION', `contentMatch: ${message}.`, {
    issues: [{ code: 'invalid', path: 'regExp', message }],
  });
}

function bounds([text, least, most]: RegExpExecArray): readonly [least: number, most: number] {
  if (least !== undefined) {
    const exact = Number(least);
    if (most === undefined) return [exact, exact];
    return [exact, most === '' ? Number.POSITIVE_INFINITY : Number(most)];
  }
  if (text.startsWith('?')) return [0, 1];
  return [text.startsWith('+') ? 1 : 0, Number.POSITIVE_INFINITY];
}
