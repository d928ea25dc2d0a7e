// biome-ignore lint/suspicious/noControlCharactersInRegex: everything outside ASCII
const beyondAscii = /[^\u0000-\u007f]/;
const decimalDigit = /\p{Nd}/gu;
const isDigit = /^\p{Nd}$/u;

/** The text with the digits of every script as 0 to 9: Python reads numbers in all of them. */
export function withPlainDigits(text: string): string {
  return beyondAscii.test(text) ? text.replace(decimalDigit, plainDigit) : text;
}

/** The digits of a script stand in rows of ten. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (isDigit.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}
