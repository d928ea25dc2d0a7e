import { host } from '../../engines/port/host.js';

const hmac = { name: 'HMAC', hash: 'SHA-256' };

/** The bytes of a text in UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return new host.TextEncoder().encode(text);
}

/** SHA-256 of a text, in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await host.crypto.subtle.digest('SHA-256', bytesOf(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** HMAC-SHA-256 of a text, in base64. */
export async function hmacOf(secret: Uint8Array, text: string): Promise<string> {
  const key = await host.crypto.subtle.importKey('raw', secret, hmac, false, ['sign']);
  const signature = new Uint8Array(await host.crypto.subtle.sign('HMAC', key, bytesOf(text)));
  return host.btoa(String.fromCharCode(...signature));
}

/** True when a text has this signature; takes the same time wherever the two differ. */
export async function hmacFits(secret: Uint8Array, text: string, signature: string): Promise<boolean> {
  const bytes = fromBase64(signature);
  if (bytes === undefined) return false;
  const key = await host.crypto.subtle.importKey('raw', secret, hmac, false, ['verify']);
  return host.crypto.subtle.verify('HMAC', key, bytes, bytesOf(text));
}

/** The bytes that a base64 text stands for, or undefined if it is none. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(host.atob(text), (character) => character.charCodeAt(0));
  } catch {
    // Not base64; what it was meant to be is for the caller to say.
    return undefined;
  }
}
