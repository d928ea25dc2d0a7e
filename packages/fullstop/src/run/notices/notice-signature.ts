import type { Envelope } from '../../engines/port/envelope.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { bytesOf, fromBase64, hmacFits, hmacOf } from '../journal/web-crypto.js';

// Signatures in the manner of Standard Webhooks: HMAC-SHA-256 over "id.timestamp.body", as `v1,<base64>`.

/** The headers of a request, as an object or as something with `get`. */
export type HeadersLike =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of `verifyNotice`: how old a notice may be. */
export interface VerifyNoticeOptions {
  /** How old or how far ahead a notice may be; five minutes unless given. */
  readonly toleranceMs?: number;
  /** Milliseconds since 1970; the time of this machine unless given. */
  readonly now?: number;
}

/** A notice whose sender is known. */
export interface VerifiedNotice {
  /** The same for every attempt: remember it to do nothing twice. */
  readonly id: string;
  readonly sentAt: number;
  readonly envelope: Envelope;
}

const usualTolerance = 5 * 60_000;

/** The headers that show a receiver who sent a notice. */
export async function signatureHeaders(
  secret: string,
  notice: { readonly id: string; readonly sentAt: number; readonly body: string },
): Promise<Readonly<Record<string, string>>> {
  const id = headerText(notice.id);
  const timestamp = String(Math.floor(notice.sentAt / 1000));
  const signature = await hmacOf(keyOf(secret), `${id}.${timestamp}.${notice.body}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/**
 * Makes sure that a request comes from someone who knows the secret and is not an old one sent again, and gives what it
 * says. `body` is the text as received, not parsed. Throws `INVALID_SIGNATURE` otherwise. While a secret is being
 * exchanged, give both.
 */
export async function verifyNotice(
  headers: HeadersLike,
  body: string,
  secret: string | readonly string[],
  options: VerifyNoticeOptions = {},
): Promise<VerifiedNotice> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const sentAt = /^\d+$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  const age = Math.abs((options.now ?? Date.now()) - sentAt);
  if (!(age <= (options.toleranceMs ?? usualTolerance)))
    throw makeSignatureError(`its time is ${JSON.stringify(timestamp)}, too far from now`);
  const signed = `${id}.${timestamp}.${body}`;
  for (const key of typeof secret === 'string' ? [secret] : secret) {
    for (const signature of signatures) {
      if (!signature.startsWith('v1,')) continue;
      if (await hmacFits(keyOf(key), signed, signature.slice(3)))
        return { id, sentAt, envelope: JSON.parse(body) as Envelope };
    }
  }
  throw makeSignatureError('its signature does not fit');
}

/** A secret as Standard Webhooks writes it (`whsec_` and base64), or any other text as it is. */
function keyOf(secret: string): Uint8Array {
  const encoded = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : undefined;
  return encoded ?? bytesOf(secret);
}

/** Headers hold visible ASCII only, but a run may have any name. */
export function headerText(text: string): string {
  return text.replace(/[^\x21-\x7e]/gu, (character) =>
    /\p{Surrogate}/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character),
  );
}

function headerOf(headers: HeadersLike, name: string): string {
  const value = isReadable(headers) ? headers.get(name) : memberOf(headers, name);
  if (value === undefined || value === null || value === '') throw makeSignatureError(`it has no header ${name}`);
  return value;
}

function isReadable(headers: HeadersLike): headers is { get(name: string): string | null | undefined } {
  return typeof headers['get'] === 'function';
}

function memberOf(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

function makeSignatureError(why: string): FullstopError {
  return new FullstopError('INVALID_SIGNATURE', `The notice is not to be trusted: ${why}.`);
}
