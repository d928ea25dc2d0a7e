import { host } from '../../engines/port/host.js';
import { isObject } from '../../termination/json.js';
import type { FileData } from '../message.js';

/** The bytes or the address of a file: beside the type of the part in v2 and v3, tagged inside `data` in v4. */
export function readFileData(part: Readonly<Record<string, unknown>>): FileData | undefined {
  const { data, url } = part;
  if (data instanceof host.URL) return { type: 'url', url: String(data) };
  if (isObject(data) && !(data instanceof Uint8Array)) return readFileData(data);
  if (typeof data === 'string') return { type: 'data', data };
  if (data instanceof Uint8Array) return { type: 'data', data: toBase64(data) };
  // In v4 it is a URL object.
  return url === undefined ? undefined : { type: 'url', url: String(url) };
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return host.btoa(binary);
}
