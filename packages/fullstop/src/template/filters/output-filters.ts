import { Dict } from '../dict.js';
import { attributeOf, memberOf } from '../evaluate/attribute.js';
import { allowText, checkText } from '../evaluate/evaluation.js';
import { runtimeFault, undefinedFault, valueFault } from '../evaluate/fault.js';
import { elements, iteratorOf, unpack } from '../evaluate/iterate.js';
import { describeType, typeName } from '../evaluate/type-name.js';
import { type JsonTextOptions, writeJson } from '../json-writer.js';
import type { Bound } from '../library/signature.js';
import { intArgument, textArgument } from '../library/text-search.js';
import { isTrue } from '../operators/truth.js';
import { escapeHtml } from '../text/escape-html.js';
import { quote, toText } from '../text/python-text.js';
import { splitWords } from '../text/whitespace.js';
import { isText, Markup, textOf, Undefined, type Value } from '../value.js';
import { attributeGetter } from './attribute-path.js';
import { type Filter, filter } from './filter.js';
import { prettyText } from './pretty-text.js';
import { stripTags } from './strip-tags.js';
import { urlize } from './urlize.js';

/** The reference's `default`: null counts as missing, unlike in the stock filter. */
function defaultFilter([value = null, fallback = '', boolean = false]: Bound): Value {
  if (value instanceof Undefined) return fallback;
  if (isTrue(boolean) && !isTrue(value)) return fallback;
  return value ?? fallback;
}

function stockDefault([value = null, fallback = '', boolean = false]: Bound): Value {
  if (value instanceof Undefined) return fallback;
  return isTrue(boolean) && !isTrue(value) ? fallback : value;
}

function indentOption(indent: Value): Pick<JsonTextOptions, 'indent'> {
  if (indent === null) return {};
  return { indent: isText(indent) ? textOf(indent) : Math.min(1000, intArgument(indent, 2)) };
}

function jsonFilter([value = null, indent = 2]: Bound): Value {
  return writeJson(value, { ...indentOption(indent), fallback: toText });
}

const htmlUnsafe: readonly (readonly [string, string])[] = [
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ["'", '\\u0027'],
];

function toJsonFilter([value = null, indent = null]: Bound): Value {
  let text = writeJson(value, { ...indentOption(indent), sortKeys: true });
  for (const [character, code] of htmlUnsafe) {
    const parts = text.split(character);
    allowText(text.length + (parts.length - 1) * 5);
    text = parts.join(code);
  }
  return new Markup(text);
}

function escapeValue([value = null]: Bound): Value {
  return value instanceof Markup ? value : new Markup(escapeHtml(toText(value)));
}

function joinItems([value = null, separator = '', attribute = null]: Bound): Value {
  const getter = attributeGetter(attribute);
  const by = toText(separator);
  let out = '';
  let first = true;
  for (const item of elements(value)) {
    const piece = (first ? '' : by) + toText(getter(item));
    checkText(out.length + piece.length);
    out += piece;
    first = false;
  }
  return out;
}

function quoteUrl(value: Value, query: boolean): string {
  const text = toText(value);
  allowText(text.length * 9);
  if (/\p{Surrogate}/u.test(text))
    throw runtimeFault('UnicodeEncodeError', "'utf-8' codec can't encode characters: surrogates not allowed");
  const encoded = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return query ? encoded.replaceAll('%20', '+') : encoded.replaceAll('%2F', '/');
}

function urlEncoded([value = null]: Bound): Value {
  if (isText(value) || iteratorOf(value) === undefined) return quoteUrl(value, false);
  const parts: string[] = [];
  const add = (key: Value, part: Value): number => parts.push(`${quoteUrl(key, true)}=${quoteUrl(part, true)}`);
  if (value instanceof Dict) for (const [key, part] of value.entries()) add(key, part);
  else {
    for (const item of elements(value)) {
      const [key = null, part = null] = unpack(item, 2);
      add(key, part);
    }
  }
  return parts.join('&');
}

function xmlAttributes([value = null, space = true]: Bound): Value {
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (!(value instanceof Dict))
    throw runtimeFault('AttributeError', `'${typeName(value)}' object has no attribute 'items'`);
  const parts: string[] = [];
  for (const [key, item] of value.entries()) {
    if (item === null || item instanceof Undefined) continue;
    const name = textArgument(key, 'expected string or bytes-like object');
    if (/[\s/>=]/.test(name)) throw valueFault(`Invalid character in attribute name: ${quote(name)}`);
    const shown = item instanceof Markup ? item.text : escapeHtml(toText(item));
    parts.push(`${escapeHtml(name)}="${shown}"`);
  }
  const text = parts.join(' ');
  return isTrue(space) && text !== '' ? ` ${text}` : text;
}

function attributeFilter([value = null, name = null]: Bound): Value {
  const wanted = textArgument(name);
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  if (memberOf(value, wanted) !== undefined) return attributeOf(value, wanted);
  return new Undefined(() => `'${describeType(value)}' has no attribute ${quote(wanted)}`);
}

function urlizeValue([
  value = null,
  limit = null,
  nofollow = false,
  target = null,
  rel = null,
  schemes = null,
]: Bound): Value {
  const rels = new Set(rel === null ? [] : splitWords(toText(rel)));
  if (isTrue(nofollow)) rels.add('nofollow');
  rels.add('noopener');
  const extra = schemes === null ? [] : [...elements(schemes)].map(toText);
  const invalid = extra.find((scheme) => !/^[\w.+-]{2,}:\/{0,2}$/.test(scheme));
  if (invalid !== undefined)
    throw runtimeFault('FilterArgumentError', `${quote(invalid)} is not a valid URI scheme prefix.`);
  return urlize(toText(value), {
    limit: limit === null ? undefined : intArgument(limit, 0),
    rel: [...rels].sort().join(' '),
    target: target === null ? undefined : toText(target),
    schemes: extra,
  });
}

/** Filters that turn values into text of another form, or replace missing ones. */
export const outputFilters: readonly (readonly [string, Filter])[] = [
  ['attr', filter('do_attr', 'obj name', attributeFilter, 1)],
  ['d', filter('do_default', 'value default_value? boolean?', stockDefault)],
  ['default', filter('TemplateRenderer._default_filter', 'value default? boolean?', defaultFilter)],
  ['e', filter('escape', 's', escapeValue)],
  ['escape', filter('escape', 's', escapeValue)],
  ['forceescape', filter('do_forceescape', 'value', ([value = null]) => new Markup(escapeHtml(toText(value))))],
  ['join', filter('sync_do_join', 'value d? attribute?', joinItems, 1)],
  ['json', filter('TemplateRenderer._json_filter', 'value indent?', jsonFilter)],
  ['pprint', filter('do_pprint', 'value', ([value = null]) => prettyText(value))],
  ['safe', filter('do_mark_safe', 'value', ([value = null]) => new Markup(toText(value)))],
  ['striptags', filter('do_striptags', 'value', ([value = null]) => stripTags(toText(value)))],
  ['tojson', filter('do_tojson', 'value indent?', toJsonFilter, 1)],
  ['urlencode', filter('do_urlencode', 'value', urlEncoded)],
  ['urlize', filter('do_urlize', 'value trim_url_limit? nofollow? target? rel? extra_schemes?', urlizeValue, 1)],
  ['xmlattr', filter('do_xmlattr', 'd autospace?', xmlAttributes, 1)],
];
