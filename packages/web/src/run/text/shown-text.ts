// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const escapes = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const directions = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;

/** A text of foreign origin for the page: no terminal codes, and every character that would act instead of being seen is made visible. */
export function shownText(text: string): string {
  return text
    .replace(escapes, '')
    .replace(controls, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(directions, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);
}
