import { Dict } from '../dict.js';
import { allowText } from '../evaluate/evaluation.js';
import { runtimeFault, typeFault, undefinedFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import type { Bound } from '../library/signature.js';
import { capitalizeText } from '../library/text-kinds.js';
import { padText, replaceText, stripText } from '../library/text-methods.js';
import { intArgument, textArgument } from '../library/text-search.js';
import { isTrue } from '../operators/truth.js';
import { sliceCharacters, textLength } from '../text/code-points.js';
import { formatPercent } from '../text/format-percent.js';
import { toText } from '../text/python-text.js';
import { isSpace, splitLines } from '../text/whitespace.js';
import { isText, Markup, Tuple, textOf, Undefined, type Value } from '../value.js';
import { type Filter, filter } from './filter.js';
import { lengthOf } from './sequence-filters.js';
import { wrapLine } from './wrap-text.js';

/** The text of any value; escaped text stays escaped. */
function softText(value: Value): string | Markup {
  return value instanceof Markup ? value : toText(value);
}

function makeTextFilter(change: (text: string) => string): (args: Bound) => Value {
  return ([value = null]) => {
    const text = softText(value);
    allowText(textOf(text).length);
    return like(text, change(textOf(text)));
  };
}

function like(model: Value, text: string): Value {
  return model instanceof Markup ? new Markup(text) : text;
}

/** A word begins after white space, a hyphen or an opening bracket. */
function titleWords(text: string): string {
  allowText(text.length);
  let out = '';
  let begins = true;
  for (const character of text) {
    const separates = '-({[<'.includes(character) || isSpace(character.codePointAt(0) ?? 0);
    out += begins && !separates ? character.toUpperCase() : character.toLowerCase();
    begins = separates;
  }
  return out;
}

/** The message about a line end that is added to something else. */
function needText(value: Value): string {
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (isText(value)) return textOf(value);
  if (Array.isArray(value)) throw runtimeFault('AttributeError', "'list' object has no attribute 'splitlines'");
  if (value instanceof Tuple) throw typeFault('can only concatenate tuple (not "str") to tuple');
  throw typeFault(`unsupported operand type(s) for +=: '${typeName(value)}' and 'str'`);
}

function indentText([value = null, width = 4, first = false, blank = false]: Bound): Value {
  const text = needText(value);
  const indent = isText(width) ? textOf(width) : padding(intArgument(width, 4));
  allowText(text.length);
  const lines = splitLines(`${text}\n`);
  allowText(text.length + lines.length * indent.length);
  const [head = '', ...rest] = lines;
  const all = isTrue(blank);
  const body = [head, ...rest.map((line) => (all || line !== '' ? indent + line : line))].join('\n');
  return like(value, isTrue(first) ? indent + body : body);
}

function padding(width: number): string {
  allowText(Math.max(0, width));
  return ' '.repeat(Math.max(0, width));
}

function assert(holds: boolean, message: string): void {
  if (!holds) throw runtimeFault('AssertionError', message);
}

function truncatedText([value = null, length = 255, killWords = false, end = '...', leeway = 5]: Bound): Value {
  const most = intArgument(length, 255);
  const extra = leeway === null ? 5 : intArgument(leeway, 5);
  const suffix = textArgument(end);
  assert(most >= textLength(suffix), `expected length >= ${textLength(suffix)}, got ${most}`);
  assert(extra >= 0, `expected leeway >= 0, got ${extra}`);
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (!isText(value)) return untruncated(value, most + extra);
  const text = textOf(value);
  if (textLength(text) <= most + extra) return value;
  const cut = sliceCharacters(text, 0, most - textLength(suffix));
  if (isTrue(killWords)) return like(value, cut + suffix);
  const space = cut.lastIndexOf(' ');
  return like(value, (space === -1 ? cut : cut.slice(0, space)) + suffix);
}

/** Short lists pass through, as they have a length; nothing else that is no text does. */
function untruncated(value: Value, most: number): Value {
  if (lengthOf(value) <= most) return value;
  throw runtimeFault('AttributeError', `'${typeName(value)}' object has no attribute 'rsplit'`);
}

function wrapLines([value = null, width = 79, breakWords = true, by = null, hyphens = true]: Bound): Value {
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (!isText(value)) throw runtimeFault('AttributeError', `'${typeName(value)}' object has no attribute 'splitlines'`);
  const separator = by === null ? '\n' : textArgument(by);
  const options = {
    width: intArgument(width, 79),
    breakLongWords: isTrue(breakWords),
    breakOnHyphens: isTrue(hyphens),
  };
  const lines = splitLines(textOf(value)).map((line) => wrapLine(line, options).join(separator));
  allowText(textOf(value).length + lines.length * separator.length);
  return lines.join(separator);
}

function replacedText([value = null, from = null, to = null, count = null]: Bound): Value {
  return replaceText(toText(value), [toText(from), toText(to)], count === null ? -1 : intArgument(count, -1));
}

function formatText(value: Value, call: Parameters<Filter>[1]): Value {
  const names = call.named;
  if (call.positional.length > 0 && names !== undefined && names.size > 0) {
    throw runtimeFault('FilterArgumentError', "can't handle positional and keyword arguments at the same time");
  }
  const text = softText(value);
  const argument = names === undefined || names.size === 0 ? new Tuple(call.positional) : dictOf(names);
  return like(text, formatPercent(textOf(text), argument, text instanceof Markup));
}

function dictOf(names: ReadonlyMap<string, Value>): Dict {
  const dict = new Dict();
  for (const [name, item] of names) dict.setText(name, item);
  return dict;
}

function wordCount([value = null]: Bound): Value {
  const text = toText(value);
  allowText(text.length);
  return [...text.matchAll(/[\p{L}\p{N}_]+/gu)].length;
}

/** Filters about text. */
export const textFilters: readonly (readonly [string, Filter])[] = [
  ['capitalize', filter('do_capitalize', 's', makeTextFilter(capitalizeText))],
  [
    'center',
    filter('do_center', 'value width?', ([value = null, width = 80]) => {
      const text = softText(value);
      return like(text, padText(textOf(text), intArgument(width, 80), { side: 'both' }));
    }),
  ],
  ['format', formatText],
  ['indent', filter('do_indent', 's width? first? blank?', indentText)],
  [
    'lower',
    filter(
      'do_lower',
      's',
      makeTextFilter((text) => text.toLowerCase()),
    ),
  ],
  ['replace', filter('do_replace', 's old new count?', replacedText, 1)],
  ['string', filter('soft_str', 's', ([value = null]) => softText(value))],
  ['title', filter('do_title', 's', ([value = null]) => titleWords(toText(value)))],
  [
    'trim',
    filter('do_trim', 'value chars?', ([value = null, characters]) => {
      const text = softText(value);
      return like(text, stripText(textOf(text), characters, { left: true, right: true }));
    }),
  ],
  ['truncate', filter('do_truncate', 's length? killwords? end? leeway?', truncatedText, 1)],
  [
    'upper',
    filter(
      'do_upper',
      's',
      makeTextFilter((text) => text.toUpperCase()),
    ),
  ],
  ['wordcount', filter('do_wordcount', 's', wordCount)],
  ['wordwrap', filter('do_wordwrap', 's width? break_long_words? wrapstring? break_on_hyphens?', wrapLines, 1)],
];
