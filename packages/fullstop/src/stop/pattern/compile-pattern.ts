import { type Assertion, type PatternNode, parsePattern, refusedPattern } from './parse-pattern.js';

/** One step of the program that a pattern becomes. `next` and `other` are places in it. */
type Instruction =
  | { readonly type: 'character'; readonly test: (character: string) => boolean; readonly next: number }
  | { readonly type: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly type: 'either'; readonly next: number; readonly other: number }
  | { readonly type: 'found' };

interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  readonly multiline: boolean;
  isWord(character: string | undefined): boolean;
}

const largest = 2_000;

/**
 * Turns a regular expression into a test that takes time in proportion to the text, whatever the pattern and the text.
 * The engine's own matcher can take hours, and a run that hangs in it would hang again at every resume.
 */
export function compilePattern(source: string, flags: string): (text: string) => boolean {
  if (!/^[imsu]*$/.test(flags))
    throw refusedPattern(source, `only the flags i, m, s and u are supported, found ${flags}`);
  requireValid(source, flags);
  const unicode = flags.includes('u');
  const characterFlags = flags.replace('m', '');
  const instructions: Instruction[] = [{ type: 'found' }];
  const start = new Compiler(instructions, source, characterFlags).compile(parsePattern(source, unicode), 0);
  const isWord = characterTest('\\w', characterFlags);
  const program: Program = {
    instructions,
    start,
    multiline: flags.includes('m'),
    isWord: (character) => character !== undefined && isWord(character),
  };
  return (text) => search(program, unicode ? [...text] : text.split(''));
}

function requireValid(source: string, flags: string): void {
  try {
    new RegExp(source, flags);
  } catch (error) {
    throw refusedPattern(source, (error as Error).message);
  }
}

/** Builds the program from its end: each node is given the place where it continues. */
class Compiler {
  readonly #instructions: Instruction[];
  readonly #source: string;
  readonly #flags: string;

  constructor(instructions: Instruction[], source: string, flags: string) {
    this.#instructions = instructions;
    this.#source = source;
    this.#flags = flags;
  }

  compile(node: PatternNode, next: number): number {
    switch (node.type) {
      case 'character':
        return this.#add({ type: 'character', test: characterTest(node.source, this.#flags), next });
      case 'assertion':
        return this.#add({ type: 'assertion', assertion: node.assertion, next });
      case 'sequence':
        return node.members.reduceRight((place, member) => this.compile(member, place), next);
      case 'choice':
        return node.members
          .map((member) => this.compile(member, next))
          .reduceRight((other, place) => this.#add({ type: 'either', next: place, other }));
      case 'repetition':
        return this.#repeat(node, next);
    }
  }

  #repeat(node: Extract<PatternNode, { type: 'repetition' }>, next: number): number {
    const { member, least, most } = node;
    let place = next;
    if (most === Number.POSITIVE_INFINITY) {
      place = this.#add({ type: 'either', next, other: next });
      const body = this.compile(member, place);
      this.#instructions[place] = { type: 'either', next: body, other: next };
    } else {
      for (let count = least; count < most; count += 1) {
        place = this.#add({ type: 'either', next: this.compile(member, place), other: next });
      }
    }
    for (let count = 0; count < least; count += 1) place = this.compile(member, place);
    return place;
  }

  #add(instruction: Instruction): number {
    if (this.#instructions.length >= largest) {
      throw refusedPattern(this.#source, `its counted repetitions make it larger than ${largest} steps`);
    }
    return this.#instructions.push(instruction) - 1;
  }
}

/** Whether a single character matches, as the engine itself sees it; answers for ASCII are kept. */
function characterTest(source: string, flags: string): (character: string) => boolean {
  const whole = new RegExp(`^(?:${source})$`, flags);
  const known = new Int8Array(128);
  return (character) => {
    const code = character.length === 1 ? character.charCodeAt(0) : known.length;
    if (code >= known.length) return whole.test(character);
    if (known[code] === 0) known[code] = whole.test(character) ? 1 : -1;
    return known[code] === 1;
  };
}

/** Follows all ways through the program at once, one character at a time. */
function search(program: Program, text: readonly string[]): boolean {
  const seenAt = new Int32Array(program.instructions.length).fill(-1);
  let places: number[] = [];
  for (let position = 0; position <= text.length; position += 1) {
    // The start is tried again at every position: the match may begin anywhere.
    places.push(program.start);
    const waiting = follow(program, places, { text, position, seenAt });
    if (waiting === 'found') return true;
    places = advance(program.instructions, waiting, text[position]);
  }
  return false;
}

interface Cursor {
  readonly text: readonly string[];
  readonly position: number;
  /** For each instruction the position at which it was last reached, so that none is followed twice at one. */
  readonly seenAt: Int32Array;
}

/** Continues from all places until each of them waits for a character. */
function follow(program: Program, pending: number[], cursor: Cursor): readonly number[] | 'found' {
  const waiting: number[] = [];
  const { seenAt, position } = cursor;
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (seenAt[place] === position) continue;
    seenAt[place] = position;
    const instruction = program.instructions[place] as Instruction;
    if (instruction.type === 'found') return 'found';
    if (instruction.type === 'character') waiting.push(place);
    else if (instruction.type === 'either') pending.push(instruction.other, instruction.next);
    else if (holds(instruction.assertion, program, cursor)) pending.push(instruction.next);
  }
  return waiting;
}

function advance(instructions: readonly Instruction[], active: readonly number[], character?: string): number[] {
  if (character === undefined) return [];
  const places: number[] = [];
  for (const place of active) {
    const instruction = instructions[place] as Extract<Instruction, { type: 'character' }>;
    if (instruction.test(character)) places.push(instruction.next);
  }
  return places;
}

function holds(assertion: Assertion, program: Program, { text, position }: Cursor): boolean {
  const before = text[position - 1];
  const after = text[position];
  switch (assertion) {
    case '^':
      return before === undefined || (program.multiline && isLineEnd(before));
    case '$':
      return after === undefined || (program.multiline && isLineEnd(after));
    case '\\b':
      return program.isWord(before) !== program.isWord(after);
    case '\\B':
      return program.isWord(before) === program.isWord(after);
  }
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r' || character === '\u2028' || character === '\u2029';
}
