import { allowText, checkText } from '../evaluate/evaluation.js';
import { escapeHtml } from '../text/escape-html.js';

const url =
  /^(?:(?:https?:\/\/|www\.)(?:[\w%-]+\.)+[a-z]{2,63}|(?:[\w%-]{2,}\.)+(?:com|net|int|edu|gov|org|info|mil)|https?:\/\/(?:(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3})|\[(?:[0-9a-f]{0,4}:){2}(?:[0-9a-f]{0,4}:?){1,6}\])|https?:\/\/[\w%-]+)(?::[0-9]{1,5})?(?:[/?#]\S*)?$/iu;
const email = /^\S+@\w[\w.-]*\.\w+$/u;
const pairs: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['<', '>'],
  ['&lt;', '&gt;'],
];

/** How links are made. */
export interface UrlizeOptions {
  readonly limit: number | undefined;
  readonly rel: string | undefined;
  readonly target: string | undefined;
  readonly schemes: readonly string[];
}

/** Turns addresses in a text into HTML links. */
export function urlize(text: string, options: UrlizeOptions): string {
  allowText(text.length * 2);
  let out = '';
  for (const word of escapeHtml(text).split(/([\t-\r ]+)/)) {
    const piece = linkedWord(word, options);
    checkText(out.length + piece.length);
    out += piece;
  }
  return out;
}

function leading(word: string): number {
  let at = 0;
  for (;;) {
    if (word.charAt(at) === '(' || word.charAt(at) === '<') at += 1;
    else if (word.startsWith('&lt;', at)) at += 4;
    else return at;
  }
}

function trailing(word: string, from: number): number {
  let at = word.length;
  while (at > from) {
    if (word.endsWith('&gt;', at)) at -= 4;
    else if (')>.,\n'.includes(word.charAt(at - 1))) at -= 1;
    else break;
  }
  return Math.max(at, from);
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Longer words are no addresses, and searching them would take long. */
const longestWord = 2000;

function linkedWord(word: string, options: UrlizeOptions): string {
  if (word.length > longestWord) return word;
  const start = leading(word);
  const end = trailing(word, start);
  let middle = word.slice(start, end);
  let tail = word.slice(end);
  for (const [open, close] of pairs) {
    for (let missing = count(middle, open) - count(middle, close); missing > 0; missing -= 1) {
      const at = tail.indexOf(close);
      if (at === -1) break;
      middle += tail.slice(0, at + close.length);
      tail = tail.slice(at + close.length);
    }
  }
  return word.slice(0, start) + link(middle, options) + tail;
}

function link(text: string, { limit, rel, schemes, target }: UrlizeOptions): string {
  const attributes =
    (rel === undefined ? '' : ` rel="${escapeHtml(rel)}"`) +
    (target === undefined ? '' : ` target="${escapeHtml(target)}"`);
  const short = limit !== undefined && text.length > limit ? `${text.slice(0, limit)}...` : text;
  if (url.test(text)) {
    const href = /^https?:\/\//.test(text) ? text : `https://${text}`;
    return `<a href="${href}"${attributes}>${short}</a>`;
  }
  if (text.startsWith('mailto:') && email.test(text.slice(7))) return `<a href="${text}">${text.slice(7)}</a>`;
  const isMail =
    text.includes('@') && !text.startsWith('www.') && !text.startsWith('@') && !text.includes(':') && email.test(text);
  if (isMail) return `<a href="mailto:${text}">${text}</a>`;
  const scheme = schemes.find((prefix) => text !== prefix && text.startsWith(prefix));
  return scheme === undefined ? text : `<a href="${text}"${attributes}>${text}</a>`;
}
