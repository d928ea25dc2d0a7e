import { host } from '../../engines/port/host.js';

/** A way in which a value may be written inside a larger text. */
export interface WrittenForm {
  /** The form in a placeholder; empty for the value as it is. */
  readonly form: string;
  readonly text: string;
}

/** A shorter piece of an encoded value would be found by chance. */
const shortestPiece = 6;

/** Every way in which we look for a value, each once. The text of a form follows from the value alone, so that it can be written back. */
export function writtenForms(value: string): readonly WrittenForm[] {
  const bytes = new host.TextEncoder().encode(value);
  const forms: readonly (readonly [form: string, text: string | undefined])[] = [
    ['', value],
    ['json', inJson(value)],
    ['ascii', inJson(value).replace(/[^ -~]/g, escapeUnit)],
    ['json2', inJson(inJson(value))],
    ['url', inUrl(value)],
    ['url.lower', inUrl(value)?.replace(/%../g, (code) => code.toLowerCase())],
    ['form', inUrl(value)?.replaceAll('%20', '+')],
    ['hex', inHex(bytes)],
    ['HEX', inHex(bytes).toUpperCase()],
    ...base64Forms(bytes),
  ];
  const seen = new Set<string>();
  return forms.flatMap(([form, text]) => {
    if (text === undefined || seen.has(text) || (form !== '' && text.length < shortestPiece)) return [];
    seen.add(text);
    return [{ form, text }];
  });
}

/** The whole in base64, and what is left of it inside a longer text, where its bytes may begin at any of three places. */
function base64Forms(bytes: Uint8Array): readonly (readonly [form: string, text: string])[] {
  const padded = inBase64(bytes);
  const standard: readonly (readonly [string, string])[] = [
    ['base64', padded],
    ['base64.bare', padded.replace(/=+$/, '')],
    ...[0, 1, 2].map((offset) => [`base64.${offset}`, middleOfBase64(bytes, offset)] as const),
  ];
  return [
    ...standard,
    ...standard.map(([form, text]) => [form.replace('base64', 'base64url'), safeForUrl(text)] as const),
  ];
}

/** The digits that depend on the value alone when so many bytes come before it in its group of three. */
function middleOfBase64(bytes: Uint8Array, offset: number): string {
  const shifted = new Uint8Array(bytes.length + offset);
  shifted.set(bytes, offset);
  // A digit has six bits: the first and the last one are shared with the neighbours, unless a group ends there.
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor((shifted.length * 8) / 6);
  return inBase64(shifted).slice(from, to);
}

function inBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return host.btoa(binary);
}

function safeForUrl(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

function inHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function inUrl(value: string): string | undefined {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half of a surrogate pair has no URL form, so it cannot appear in one.
    return undefined;
  }
}
