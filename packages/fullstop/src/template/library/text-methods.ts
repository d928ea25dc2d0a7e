import { allowList, allowText, checkText } from '../evaluate/evaluation.js';
import { typeFault, valueFault } from '../evaluate/fault.js';
import { elements, iteratorOf } from '../evaluate/iterate.js';
import { typeName } from '../evaluate/type-name.js';
import { isTrue } from '../operators/truth.js';
import { codePoints, textLength } from '../text/code-points.js';
import { skipSpace, splitLines, splitWords, splitWordsFromEnd, stripEnd } from '../text/whitespace.js';
import { isText, Markup, Tuple, textOf, type Value } from '../value.js';
import { type MethodTable, methodTable } from './method.js';
import type { Bound } from './signature.js';
import { capitalizeText, swapCase, textKinds, toTitleCase } from './text-kinds.js';
import { hasAffix, intArgument, occurrences, position, positionOrFail, textArgument } from './text-search.js';
import { translateText, translationTable } from './translate.js';

type Text = string | Markup;

/** Escaped text stays escaped through its methods. */
function like(self: Text, text: string): Value {
  return self instanceof Markup ? new Markup(text) : text;
}

function makeTextMethod(change: (text: string) => string): readonly [string, (self: Text) => Value] {
  return [
    '',
    (self) => {
      allowText(textOf(self).length);
      return like(self, change(textOf(self)));
    },
  ];
}

/** Pads on one or both sides, paying first. */
export function padText(
  text: string,
  width: number,
  { side, fill = ' ' }: { side: 'left' | 'right' | 'both'; fill?: string },
): string {
  const length = textLength(text);
  const missing = width - length;
  if (missing <= 0) return text;
  allowText(width * fill.length);
  if (side === 'left') return fill.repeat(missing) + text;
  if (side === 'right') return text + fill.repeat(missing);
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

function padding(side: 'left' | 'right' | 'both'): readonly [string, (self: Text, args: Bound) => Value] {
  return [
    'width fillchar?',
    (self, [width, fill]) => {
      const character =
        fill === undefined
          ? ' '
          : textArgument(fill, `The fill character must be a unicode character, not ${typeName(fill)}`);
      if (textLength(character) !== 1) throw typeFault('The fill character must be exactly one character long');
      return like(self, padText(textOf(self), intArgument(width, 0), { side, fill: character }));
    },
  ];
}

/** Strips characters from the ends of a text; white space without a set. */
export function stripText(
  text: string,
  characters: Value | undefined,
  sides: { left: boolean; right: boolean },
): string {
  allowText(text.length);
  if (characters === undefined || characters === null) {
    const right = sides.right ? stripEnd(text) : text;
    return sides.left ? right.slice(skipSpace(right, 0)) : right;
  }
  const set = new Set(textArgument(characters, `strip arg must be None or str, not ${typeName(characters)}`));
  const points = codePoints(text) ?? text.split('');
  let start = 0;
  let end = points.length;
  while (sides.left && start < end && set.has(points[start] as string)) start += 1;
  while (sides.right && end > start && set.has(points[end - 1] as string)) end -= 1;
  return points.slice(start, end).join('');
}

function makeStripMethod(left: boolean, right: boolean): readonly [string, (self: Text, args: Bound) => Value] {
  return ['chars?', (self, [characters]) => like(self, stripText(textOf(self), characters, { left, right }))];
}

function splitText(self: Text, [separator, count]: Bound, fromEnd: boolean): Value {
  const text = textOf(self);
  allowList(Math.ceil(text.length / 2));
  const limit = intArgument(count, -1);
  const most = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  if (separator === undefined || separator === null) {
    return (fromEnd ? splitWordsFromEnd(text, most) : splitWords(text, most)).map((part) => like(self, part));
  }
  const by = textArgument(separator, `must be str or None, not ${typeName(separator)}`);
  if (by === '') throw valueFault('empty separator');
  const parts = text.split(by);
  if (parts.length - 1 <= most) return parts.map((part) => like(self, part));
  const rest = fromEnd
    ? [parts.slice(0, parts.length - most).join(by), ...parts.slice(parts.length - most)]
    : [...parts.slice(0, most), parts.slice(most).join(by)];
  return rest.map((part) => like(self, part));
}

function partitionText(self: Text, separator: Value | undefined, last: boolean): Value {
  const by = textArgument(separator);
  if (by === '') throw valueFault('empty separator');
  const text = textOf(self);
  allowText(text.length);
  const at = last ? text.lastIndexOf(by) : text.indexOf(by);
  const none = last ? ['', '', text] : [text, '', ''];
  const parts = at === -1 ? none : [text.slice(0, at), by, text.slice(at + by.length)];
  return new Tuple(parts.map((part) => like(self, part)));
}

/** Replaces at most `count` occurrences, paying for the result first. */
export function replaceText(text: string, [from, to]: readonly [string, string], count: number): string {
  const most = count < 0 ? Number.POSITIVE_INFINITY : count;
  allowText(text.length);
  if (from === '') return interleaveText(text, to, most);
  const parts = text.split(from);
  const times = Math.min(parts.length - 1, most);
  allowText(text.length + times * Math.max(0, to.length - from.length));
  if (times === parts.length - 1) return parts.join(to);
  return parts.slice(0, times + 1).join(to) + from + parts.slice(times + 1).join(from);
}

function interleaveText(text: string, to: string, most: number): string {
  const points = codePoints(text) ?? text.split('');
  allowText(text.length + (points.length + 1) * to.length);
  let out = '';
  for (let index = 0; index <= points.length; index += 1) out += (index < most ? to : '') + (points[index] ?? '');
  return out;
}

/** Joins the texts of a value's elements. */
export function joinTexts(separator: string, value: Value): string {
  if (iteratorOf(value) === undefined) throw typeFault('can only join an iterable');
  let out = '';
  let index = 0;
  for (const item of elements(value)) {
    if (!isText(item)) throw typeFault(`sequence item ${index}: expected str instance, ${typeName(item)} found`);
    const piece = index === 0 ? textOf(item) : separator + textOf(item);
    checkText(out.length + piece.length);
    out += piece;
    index += 1;
  }
  return out;
}

function zeroFilled(text: string, width: number): string {
  const missing = width - textLength(text);
  if (missing <= 0) return text;
  allowText(width);
  const sign = text.startsWith('+') || text.startsWith('-') ? text.charAt(0) : '';
  return sign + '0'.repeat(missing) + text.slice(sign.length);
}

function tabsExpanded(text: string, size: number): string {
  allowText(text.length * Math.max(1, size));
  let column = 0;
  let out = '';
  for (const character of text) {
    if (character === '\t') {
      const count = size > 0 ? size - (column % size) : 0;
      out += ' '.repeat(count);
      column += count;
    } else {
      out += character;
      column = character === '\n' || character === '\r' ? 0 : column + 1;
    }
  }
  return out;
}

function testText(self: Text, test: (text: string) => boolean): boolean {
  allowText(textOf(self).length);
  return test(textOf(self));
}

const kinds = Object.fromEntries(
  Object.entries(textKinds).map(([name, test]) => [name, ['', (self: Text) => testText(self, test)] as const]),
);

/** Python's text methods, but for `format` and `format_map`, which need the evaluator. */
export const textMethods: MethodTable<Text> = methodTable<Text>('str', {
  ...kinds,
  capitalize: makeTextMethod(capitalizeText),
  casefold: makeTextMethod((text) => text.replace(/[^ı]/gu, (character) => character.toUpperCase().toLowerCase())),
  center: padding('both'),
  count: ['sub start? end?', (self, args) => occurrences(self, args)],
  endswith: ['suffix start? end?', (self, args) => hasAffix(self, args, 'endswith')],
  expandtabs: ['*tabsize?', (self, [size]) => like(self, tabsExpanded(textOf(self), intArgument(size, 8)))],
  find: ['sub start? end?', (self, args) => position(self, args, false)],
  index: ['sub start? end?', (self, args) => positionOrFail(self, args, false)],
  join: ['iterable', (self, [items]) => like(self, joinTexts(textOf(self), items ?? null))],
  ljust: padding('right'),
  lower: makeTextMethod((text) => text.toLowerCase()),
  lstrip: makeStripMethod(true, false),
  maketrans: ['x y? z?', (_, args) => translationTable(args)],
  partition: ['sep', (self, [separator]) => partitionText(self, separator, false)],
  removeprefix: [
    'prefix',
    (self, [prefix]) =>
      like(self, withoutPrefix(textOf(self), textArgument(prefix, affixMessage('removeprefix', prefix)))),
  ],
  removesuffix: [
    'suffix',
    (self, [suffix]) =>
      like(self, withoutSuffix(textOf(self), textArgument(suffix, affixMessage('removesuffix', suffix)))),
  ],
  replace: [
    'old new count?',
    (self, [from, to, count]) =>
      like(
        self,
        replaceText(
          textOf(self),
          [textArgument(from, replaceMessage(1, from)), textArgument(to, replaceMessage(2, to))],
          intArgument(count, -1),
        ),
      ),
  ],
  rfind: ['sub start? end?', (self, args) => position(self, args, true)],
  rindex: ['sub start? end?', (self, args) => positionOrFail(self, args, true)],
  rjust: padding('left'),
  rpartition: ['sep', (self, [separator]) => partitionText(self, separator, true)],
  rsplit: ['*sep? maxsplit?', (self, args) => splitText(self, args, true)],
  rstrip: makeStripMethod(false, true),
  split: ['*sep? maxsplit?', (self, args) => splitText(self, args, false)],
  splitlines: ['*keepends?', (self, [keep]) => linesOf(self, keep)],
  startswith: ['prefix start? end?', (self, args) => hasAffix(self, args, 'startswith')],
  strip: makeStripMethod(true, true),
  swapcase: makeTextMethod(swapCase),
  title: makeTextMethod(toTitleCase),
  translate: ['table', (self, [table]) => like(self, translateText(textOf(self), table ?? null))],
  upper: makeTextMethod((text) => text.toUpperCase()),
  zfill: ['width', (self, [width]) => like(self, zeroFilled(textOf(self), intArgument(width, 0)))],
});

function linesOf(self: Text, keep: Value | undefined): Value {
  allowText(textOf(self).length);
  return splitLines(textOf(self), keep !== undefined && isTrue(keep)).map((line) => like(self, line));
}

function affixMessage(name: string, value: Value | undefined): string {
  return `${name}() argument must be str, not ${typeName(value ?? null)}`;
}

function replaceMessage(index: number, value: Value | undefined): string {
  return `replace() argument ${index} must be str, not ${typeName(value ?? null)}`;
}

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function withoutSuffix(text: string, suffix: string): string {
  return suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}
