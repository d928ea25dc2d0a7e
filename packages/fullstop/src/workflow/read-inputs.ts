import { Dict } from '../template/dict.js';
import { writeJsonText } from '../template/json-text.js';
import { strip } from '../template/text/whitespace.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { coerceInput } from './perform/values/coerce.js';
import { readJson } from './source/read-json.js';

/** An input as it is written on a command line. */
export type InputText =
  /** `name=text`, where the text is a number, a word such as true, JSON, or itself. */
  | { readonly type: 'text'; readonly given: string }
  /** `name=JSON`. */
  | { readonly type: 'json'; readonly given: string };

/** JSON text of the inputs of a command line; `INVALID_OPTION` for one that has no name or is not JSON. */
export function inputsFromText(inputs: readonly InputText[]): string {
  const values = new Dict();
  for (const { type, given } of inputs) {
    const equals = given.indexOf('=');
    const [name, text] = [strip(given.slice(0, Math.max(equals, 0))), given.slice(equals + 1)];
    if (name === '') throw misuse(`The input ${JSON.stringify(given)} has no value; write name=value.`);
    if (type === 'text') values.setText(name, coerceInput(strip(text)));
    else {
      const read = readJson(text);
      if (read === undefined) throw misuse(`The input ${JSON.stringify(name)} is not JSON: ${text}`);
      values.setText(name, read.value);
    }
  }
  return writeJsonText(values);
}

function misuse(message: string): FullstopError {
  return new FullstopError('INVALID_OPTION', message);
}
