// Not in the types of the oldest language version that we compile for, but in every Node that we support.
const { isWellFormed } = String.prototype as { readonly isWellFormed?: (this: string) => boolean };

/**
 * True for a text that every store returns as it was. Stores keep UTF-8, which has no half of a surrogate pair, and some
 * end a text at NUL. Inside JSON both are escaped, so only what is stored by itself must be free of them.
 */
export function isStorable(text: string): boolean {
  // Every entry of a journal has two short texts that are asked about: a look at each character is faster than the two calls.
  if (text.length <= 40 && isPlain(text)) return true;
  const isWhole = isWellFormed === undefined ? !/\p{Surrogate}/u.test(text) : isWellFormed.call(text);
  return isWhole && !text.includes('\u0000');
}

/** True for a text without NUL in which nothing can be half of a surrogate pair. */
function isPlain(text: string): boolean {
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === 0 || (code >= 0xd800 && code <= 0xdfff)) return false;
  }
  return true;
}

/** A text of foreign origin with what no store could return replaced, for people to read. */
export function toStorable(text: string): string {
  return isStorable(text) ? text : text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}

/** A text of foreign origin with what no store could return escaped. Where `%` is escaped too, two texts never become one. */
export function escapeUnstorable(text: string): string {
  if (isStorable(text)) return text;
  return text.replace(/[\0\p{Surrogate}]/gu, (character) =>
    character === '\0' ? '%00' : `%u${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
