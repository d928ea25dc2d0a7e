/** Marks that change the direction of what follows, and letters that nobody sees: what is shown would not be what is there. */
const invisible = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}`;
const controls = new RegExp(String.raw`(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}${invisible}]`, 'gu');
const inJson = new RegExp(String.raw`[\u007f-\u009f\u2028\u2029${invisible}]`, 'gu');

/** The colours of ours, and nothing else that a terminal would obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what this is about
const colours = /\u001b\[(?:1|2|22|3[1-6]|39)m/g;

/** `::set-output …` at the beginning of a line, which GitHub Actions would obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour may come first
const commandOfLine = /^((?:[^\S\n]|\u001b\[\d+m)*)::/gm;
/** `##[…]` of GitHub, `##vso[…]` of Azure and `##teamcity[…]`, anywhere in a line. */
const commandInside = /##(?=(?:vso|teamcity)?\[)/gi;

/** A text of others without anything that a terminal would obey; line breaks and tabs stay. */
export function harmless(text: string): string {
  return text.replace(/\r(?!\n)/g, ' ').replace(controls, '');
}

/** The same for one line. */
export function oneLine(text: string): string {
  return harmless(text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')).trim();
}

/** Text for people on its way out: colours of ours stay if there are to be any, and no line of it is a command to a job log. */
export function shownText(text: string, hasColours: boolean): string {
  const parts = text.split(colours);
  const kept = hasColours ? (text.match(colours) ?? []) : [];
  const clean = parts.map((part, index) => harmless(part) + (kept[index] ?? '')).join('');
  return clean.replace(commandOfLine, '$1: :').replace(commandInside, '# #');
}

/** JSON on its way out: the same value for whoever parses it, and nothing for a terminal or a job log to obey. */
export function shownJson(json: string): string {
  return json
    .replace(inJson, (found) => [...Array(found.length).keys()].map((index) => escapedUnit(found, index)).join(''))
    .replace(commandInside, '\\u0023#');
}

function escapedUnit(text: string, index: number): string {
  return `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`;
}
