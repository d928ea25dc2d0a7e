import { isObject, type JsonValue } from '../../termination/json.js';
import type { FilePart, TextPart, ToolOutput } from '../message.js';
import { readFileData } from './read-file-data.js';

/**
 * Reads the result of the `toModelOutput` of an AI SDK tool, in the form of any version, into ours. A value of no known form
 * is a plain result.
 */
export function readToolOutput(output: unknown): ToolOutput {
  if (!isObject(output)) return plainOutput(output);
  const { type, value } = output;
  if ((type === 'text' || type === 'error-text') && typeof value === 'string') return { type, value };
  if (type === 'json' || type === 'error-json') return { type, value: toJson(value) };
  if (type === 'execution-denied') {
    return { type, ...(typeof output['reason'] === 'string' && { reason: output['reason'] }) };
  }
  if (type === 'content' && Array.isArray(value)) return { type, value: value.map(readPart) };
  return plainOutput(output);
}

/** The result of a tool, as the model sees it: text stays text, everything else is JSON. */
export function plainOutput(result: unknown): ToolOutput {
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: toJson(result) };
}

function readPart(part: unknown): TextPart | FilePart {
  if (!isObject(part)) return asText(part);
  if (part['type'] === 'text' && typeof part['text'] === 'string') return { type: 'text', text: part['text'] };
  const data = readFileData(part);
  if (data === undefined) return asText(part);
  const { mediaType, filename } = part;
  const usual = String(part['type']).startsWith('image') ? 'image/*' : 'application/octet-stream';
  return {
    type: 'file',
    mediaType: typeof mediaType === 'string' ? mediaType : usual,
    data,
    ...(typeof filename === 'string' && { filename }),
  };
}

/** A reference to a file that only its provider has, or something newer than us: the model can at least read it. */
function asText(part: unknown): TextPart {
  return { type: 'text', text: typeof part === 'string' ? part : JSON.stringify(toJson(part)) };
}

function toJson(value: unknown): JsonValue {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue);
}
