/** Whether Python counts the character as white space; JavaScript's own notion differs. */
export function isSpace(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** The index of the first character at or after `from` that is no white space. */
export function skipSpace(text: string, from: number): number {
  let index = from;
  while (index < text.length && isSpace(text.charCodeAt(index))) index += 1;
  return index;
}

/** The text without white space at its end. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

/** The text without white space at both ends. */
export function strip(text: string): string {
  return stripEnd(text.slice(skipSpace(text, 0)));
}

/** The words between runs of white space, at most `limit` splits. */
export function splitWords(text: string, limit: number = Number.POSITIVE_INFINITY): string[] {
  const words: string[] = [];
  let start = skipSpace(text, 0);
  while (start < text.length) {
    if (words.length >= limit) {
      words.push(stripEnd(text.slice(start)));
      break;
    }
    let end = start;
    while (end < text.length && !isSpace(text.charCodeAt(end))) end += 1;
    words.push(text.slice(start, end));
    start = skipSpace(text, end);
  }
  return words;
}

/** The same from the right. */
export function splitWordsFromEnd(text: string, limit: number): string[] {
  const words: string[] = [];
  let end = stripEnd(text).length;
  while (end > 0) {
    if (words.length >= limit) {
      words.push(text.slice(skipSpace(text, 0), end));
      break;
    }
    let start = end;
    while (start > 0 && !isSpace(text.charCodeAt(start - 1))) start -= 1;
    words.push(text.slice(start, end));
    end = stripEnd(text.slice(0, start)).length;
  }
  return words.reverse();
}

function endsLine(code: number): boolean {
  return (
    (code >= 10 && code <= 13) || (code >= 28 && code <= 30) || code === 0x85 || code === 0x2028 || code === 0x2029
  );
}

/** The lines of a text as Python's `splitlines` cuts them. */
export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!endsLine(code)) continue;
    const next = code === 13 && text.charCodeAt(index + 1) === 10 ? index + 2 : index + 1;
    lines.push(text.slice(start, keepEnds ? next : index));
    start = next;
    index = next - 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}
