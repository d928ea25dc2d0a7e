import { allowText } from '../evaluate/evaluation.js';
import { splitWords } from '../text/whitespace.js';

/** Removes everything from an opening to its closing mark, as long as there is one. */
function without(text: string, open: string, close: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start === -1 ? -1 : text.indexOf(close, start);
    if (end === -1) return out + text.slice(at);
    out += text.slice(at, start);
    at = end + close.length;
  }
}

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['euro', '€'],
  ['laquo', '«'],
  ['raquo', '»'],
  ['eacute', 'é'],
  ['middot', '·'],
]);

/** Resolves character references. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return named.get(name) ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  });
}

/** The text without tags and comments, its white space collapsed. */
export function stripTags(text: string): string {
  allowText(text.length);
  const bare = without(without(text, '<!--', '-->'), '<', '>');
  return unescapeHtml(splitWords(bare).join(' '));
}
