import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { networkErrorCodes } from '../../port/network-errors.js';
import { movedAway } from '../../store/moving/moved-away.js';
import type { StoreFailure } from '../../store/store-failure.js';

interface PgErrorLike {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** The code with which a store says that it was moved; its message is where to. */
export const movedState = 'FSMVD';

/** Classes and codes of SQLSTATE, by how they begin, with what they mean here and what to do. */
const meanings: readonly (readonly [beginning: string, code: StoreFailure['code'], words: string])[] = [
  [
    '53100',
    'STORE_FULL',
    'The disk of the server is full. Free some space there; runs continue from their last entry.',
  ],
  ['53', 'STORE_IO', 'The server has no room for more: too many connections, or too little memory.'],
  ['25006', 'STORE_READ_ONLY', 'The server only reads: it is a standby, or the database was set so.'],
  ['42501', 'STORE_READ_ONLY', 'This role may not do that. docs/scaling.md lists what each role needs.'],
  ['3D000', 'STORE_NOT_A_DATABASE', 'There is no such database. Make it first.'],
  ['28', 'STORE_IO', 'The server refused this role or its password.'],
  ['55P03', 'STORE_LOCKED', 'Another transaction held a lock for too long.'],
  [
    '57014',
    'STORE_LOCKED',
    'A statement took longer than it may. Look for long transactions, or raise statementTimeoutMs.',
  ],
  ['08', 'STORE_IO', 'The connection to the server failed.'],
  ['57P', 'STORE_IO', 'The server was shut down or is starting.'],
  ['XX00', 'STORE_CORRUPT', 'The server reports damage of its files. Restore a backup.'],
];

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as PgErrorLike;
  return typeof code === 'string' ? code : '';
}

/** Says what an error of Postgres means and what to do about it. */
export function storeFailureOf(error: unknown, place: string): StoreFailure {
  if (FullstopError.is(error)) return { code: error.code, message: error.message };
  const code = codeOf(error);
  const { message } = (error ?? {}) as PgErrorLike;
  const said = ` (Postgres said: ${typeof message === 'string' && message !== '' ? message : String(error)})`;
  if (code === movedState) return movedAway(typeof message === 'string' ? message : 'another store');
  const wrong = tlsMisfit(code, typeof message === 'string' ? message : '');
  if (wrong !== undefined) return { code: 'STORE_IO', message: `Postgres at ${place} ${wrong}${said}` };
  const found = meanings.find(([beginning]) => code.startsWith(beginning));
  if (found !== undefined) return { code: found[1], message: `${found[2]}${said}` };
  if (isDisconnected(error))
    return {
      code: 'STORE_IO',
      message: `Postgres at ${place} cannot be reached. Check that the server runs, that the address is right, and that nothing is in between.${said}`,
    };
  return { code: 'STORE_FAILED', message: `The store failed.${said}` };
}

/** Which of the two sides wants what of TLS, if that is why they cannot talk. */
function tlsMisfit(code: string, message: string): string | undefined {
  if (code === '28000' && message.includes('no encryption'))
    return 'takes only connections with TLS. Add sslmode=verify-full to the address, or give ssl.';
  if (message.startsWith('The server does not support SSL'))
    return 'has no TLS, which the address or ssl asks for. Turn it on there, or leave it out on a network that you trust.';
  if (/CERT|UNABLE_TO_VERIFY|SELF_SIGNED/.test(code))
    return 'has a certificate that is not trusted. Give the authority that signed it: sslrootcert=FILE in the address, or ssl: { ca }.';
  return undefined;
}

/** True when the connection is gone, so that nobody knows whether what was under way was committed. */
export function isDisconnected(error: unknown): boolean {
  const code = codeOf(error);
  if (code.startsWith('08') || code.startsWith('57P') || networkErrorCodes.includes(code)) return true;
  const { message } = (error ?? {}) as PgErrorLike;
  return (
    typeof message === 'string' &&
    /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout)/.test(
      message,
    )
  );
}

/** True when the server only reads, as one does that has yet to take the place of another. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

export function toStoreError(cause: unknown, place: string): FullstopError {
  const { code, message } = storeFailureOf(cause, place);
  return new FullstopError(code, message, { cause });
}

/** True when something is there already that may be only once. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === '23505';
}

/** True when the same would succeed in another transaction: two waited for each other, or did the same at once. */
export function isCollision(error: unknown): boolean {
  return ['40001', '40P01', '23505', '55P03'].includes(codeOf(error));
}

/** A server and its database as people may see them: whoever connects, and with which password, is not part of it. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'the given address';
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || '5432'}${pathname}`;
}
