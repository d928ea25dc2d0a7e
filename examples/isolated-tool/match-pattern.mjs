/** Tries a pattern, which may take longer than anyone can wait: a synchronous search never yields. */
export function matchPattern({ pattern, text }) {
  return new RegExp(pattern).test(text);
}
