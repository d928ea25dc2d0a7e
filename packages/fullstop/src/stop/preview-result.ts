import type { JsonValue } from '../termination/json.js';
import { cutText } from '../termination/text/wording.js';

const longestPreview = 200;

/** A result as evidence: itself where it is small, else the beginning of its JSON text. Writes nothing that most runs never show. */
export function previewResult(result: JsonValue): JsonValue {
  if (typeof result === 'string') return cutText(result, longestPreview);
  return isSmall(result) ? result : cutText(writeBeginning(result, ''), longestPreview);
}

/** The text of a preview, for people. */
export function previewText(preview: JsonValue): string {
  return typeof preview === 'string' ? preview : cutText(JSON.stringify(preview), longestPreview);
}

/** True for a value without lists or objects in it, whose names and texts are short. */
function isSmall(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  let length = 0;
  for (const name in value) {
    const member = (value as Readonly<Record<string, JsonValue>>)[name];
    if (typeof member === 'object' && member !== null) return false;
    length += name.length + (typeof member === 'string' ? member.length : fewLetters);
    if (length > longestPreview) return false;
  }
  return true;
}

/** About as many as a number, a boolean or null has. */
const fewLetters = 8;

/** The text with the value after it, up to a little more than the preview shows. */
function writeBeginning(value: JsonValue, before: string): string {
  if (before.length > longestPreview) return before;
  if (typeof value === 'string') return before + JSON.stringify(value.slice(0, longestPreview + 1));
  if (typeof value !== 'object' || value === null) return before + JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = `${before}${isList ? '[' : '{'}`;
  let separator = '';
  for (const name in value) {
    if (text.length > longestPreview) return text;
    const member = (value as Readonly<Record<string, JsonValue>>)[name] as JsonValue;
    text = writeBeginning(member, `${text}${separator}${isList ? '' : `${JSON.stringify(name)}:`}`);
    separator = ',';
  }
  return `${text}${isList ? ']' : '}'}`;
}
