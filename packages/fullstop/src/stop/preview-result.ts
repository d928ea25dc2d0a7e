import type { JsonValue } from '../termination/json.js';
import { cutText } from '../termination/text/wording.js';

const longestPreview = 200;

/** The beginning of a result as JSON text. Writes no more than it shows, because results may be large. */
export function previewResult(result: JsonValue): string {
  if (typeof result === 'string') return cutText(result, longestPreview);
  // The platform writes a small value several times as fast.
  return cutText(isSmall(result) ? JSON.stringify(result) : writeBeginning(result, ''), longestPreview);
}

const fewMembers = 8;

function isSmall(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  let count = 0;
  for (const name in value) {
    const member = (value as Readonly<Record<string, JsonValue>>)[name];
    count += 1;
    if (count > fewMembers || (typeof member === 'object' && member !== null)) return false;
    if (typeof member === 'string' && member.length > longestPreview) return false;
  }
  return true;
}

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
