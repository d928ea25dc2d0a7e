import { Dict } from '../../../template/dict.js';
import { strip } from '../../../template/text/whitespace.js';
import { readJson } from '../../source/read-json.js';

/** The JSON in what a model wrote: all of it, what is in fences, or what begins at the first bracket. */
export function jsonInText(text: string): Dict | undefined {
  for (const candidate of candidates(text)) {
    const read = readJson(candidate);
    if (read === undefined) continue;
    // Whoever asked for fields and got a list finds it under this name.
    return read.value instanceof Dict ? read.value : new Dict().setText('result', read.value);
  }
  return undefined;
}

/** A text that is nothing but a JSON number, word or string, under the name that a list gets, too. */
export function scalarInText(text: string): Dict | undefined {
  const read = readJson(strip(text));
  return read === undefined ? undefined : new Dict().setText('result', read.value);
}

function* candidates(text: string): Iterable<string> {
  const whole = strip(text);
  if (whole.startsWith('{') || whole.startsWith('[')) yield whole;
  const parts = whole.split('```');
  // Between the fences, with the name of the language left out.
  for (let index = 1; index + 1 < parts.length; index += 2) yield withoutLanguage(parts[index] as string);
  if (parts.length > 2) yield withoutLanguage(parts.slice(1, -1).join('```'));
  const start = whole.search(/[{[]/);
  if (start > 0) yield whole.slice(start);
}

function withoutLanguage(block: string): string {
  return strip(block.startsWith('json') ? block.slice('json'.length) : block);
}
