import { spend } from '../evaluate/evaluation.js';
import { valueFault } from '../evaluate/fault.js';
import { textLength } from '../text/code-points.js';
import { strip } from '../text/whitespace.js';

const space = '[\\t\\n\\v\\f\\r ]';
const punctuated = `[\\p{L}\\p{N}_!"'&.,?]`;
const letter = '[\\p{L}_]';
const word = '[\\p{L}\\p{N}_]';

/** White space, dashes between words, and words, which may be cut after a hyphen. */
const hyphenated = new RegExp(
  `(${space}+|(?<=${punctuated})-{2,}(?=${word})|[^\\t\\n\\v\\f\\r ]+?(?:-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))(?=${letter}-?${letter})|(?=${space}|$)|(?<=${punctuated})(?=-{2,}${word})))`,
  'u',
);
/** A long row of dashes is no place to cut, and would be searched again from each of them. */
const longDashes = /-{200}/;
const whole = new RegExp(`(${space}+)`);

/** How lines are filled. */
export interface WrapOptions {
  readonly width: number;
  readonly breakLongWords: boolean;
  readonly breakOnHyphens: boolean;
}

/** Fills lines of a width with the words of one line, as Python's `textwrap` does. */
export function wrapLine(line: string, options: WrapOptions): string[] {
  if (options.width <= 0) throw valueFault(`invalid width ${options.width} (must be > 0)`);
  spend(line.length >>> 2);
  const chunks = line
    .split(options.breakOnHyphens && !longDashes.test(line) ? hyphenated : whole)
    .filter((chunk) => chunk !== '')
    .reverse();
  const lines: string[] = [];
  while (chunks.length > 0) {
    spend(1);
    const current = fillLine(chunks, lines.length > 0, options);
    if (current.length > 0) lines.push(current.join(''));
  }
  return lines;
}

function isBlank(chunk: string | undefined): boolean {
  return chunk !== undefined && strip(chunk) === '';
}

function fillLine(chunks: string[], follows: boolean, options: WrapOptions): string[] {
  const current: string[] = [];
  let length = 0;
  if (follows && isBlank(chunks.at(-1))) chunks.pop();
  for (
    let chunk = chunks.at(-1);
    chunk !== undefined && length + textLength(chunk) <= options.width;
    chunk = chunks.at(-1)
  ) {
    current.push(chunk);
    length += textLength(chunk);
    chunks.pop();
  }
  if (textLength(chunks.at(-1) ?? '') > options.width) breakWord(chunks, current, { ...options, used: length });
  if (isBlank(current.at(-1))) current.pop();
  return current;
}

function breakWord(chunks: string[], current: string[], options: WrapOptions & { used: number }): void {
  const chunk = chunks.pop() ?? '';
  if (!options.breakLongWords) {
    if (current.length === 0) current.push(chunk);
    else chunks.push(chunk);
    return;
  }
  const room = options.width - options.used;
  const points = Array.from(chunk);
  const hyphen = options.breakOnHyphens ? points.lastIndexOf('-', room - 1) : -1;
  const end = room > 0 && hyphen > 0 && /[^-]/.test(points.slice(0, hyphen).join('')) ? hyphen + 1 : room;
  current.push(points.slice(0, end).join(''));
  chunks.push(points.slice(end).join(''));
}
