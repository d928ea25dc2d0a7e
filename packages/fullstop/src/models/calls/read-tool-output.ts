import { host } from '../../engines/port/host.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import type { FileData, FilePart, TextPart, ToolOutput } from '../message.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what the `toModelOutput` of an AI SDK tool gave, in the form of any version, into ours. What is of no known form
 * is taken for a plain result.
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

/** The output of a tool, as the model sees it: text stays text, everything else is JSON. */
export function plainOutput(result: unknown): ToolOutput {
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: toJson(result) };
}

function readPart(part: unknown): TextPart | FilePart {
  if (!isObject(part)) return asText(part);
  if (part['type'] === 'text' && typeof part['text'] === 'string') return { type: 'text', text: part['text'] };
  const data = readData(part);
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

/** Bytes or address: beside the type of the part in v2 and v3, tagged inside `data` in v4. */
function readData(part: Fields): FileData | undefined {
  const { data, url } = part;
  if (isObject(data) && !(data instanceof Uint8Array)) return readData(data);
  if (typeof data === 'string') return { type: 'data', data };
  if (data instanceof Uint8Array) return { type: 'data', data: toBase64(data) };
  // In v4 it is a URL object.
  return url === undefined ? undefined : { type: 'url', url: String(url) };
}

/** A reference to a file that only its provider has, or something newer than us: the model can at least read it. */
function asText(part: unknown): TextPart {
  return { type: 'text', text: typeof part === 'string' ? part : JSON.stringify(toJson(part)) };
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return host.btoa(binary);
}

function toJson(value: unknown): JsonValue {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue);
}
