import { shellWord } from '../../../cli/src/terminal/shell-word.js';

/** The command that does the same as a body of the API: each value is an option of the same name. */
export function commandText(words: readonly string[], body: Readonly<Record<string, unknown>> = {}): string {
  const options = Object.entries(body).flatMap(([name, value]) => optionText(`--${kebabCase(name)}`, value));
  return ['fullstop', ...words.map(shellWord), ...options].join(' ');
}

function optionText(flag: string, value: unknown): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [flag];
  if (Array.isArray(value)) return value.flatMap((each) => optionText(flag, each));
  return [flag, shellWord(String(value))];
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
