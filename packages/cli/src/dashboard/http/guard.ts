import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { ApiError } from './api-error.js';

export interface GuardOptions {
  /** The secret that the address in the terminal carries. */
  readonly token: string;
  /** Where the server listens. */
  readonly address: string;
  /** Names under which it may be asked, beyond those of its address. */
  readonly allowedHosts: readonly string[];
}

/** Decides who may ask. */
export interface Guard {
  /** Throws unless the request is addressed to this server and comes from its own pages or from no page at all. */
  checkPlace(request: Request): void;
  /** True with the cookie, or with the token as a bearer. */
  isKnown(request: Request): boolean;
  /** Throws unless it is known, and a change comes from a page of this server or carries the token itself. */
  checkRight(request: Request): void;
  /** The cookie, where an address carries the right token. */
  admit(token: string): string | undefined;
}

/** A secret that cannot be guessed, fit for an address. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** True for an address that only this machine reaches. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}

export function makeGuard({ token, address, allowedHosts }: GuardOptions, port: () => number): Guard {
  const session = newToken();
  const cookieName = (): string => `fullstop_${port()}`;
  const hasCookie = (request: Request): boolean =>
    isSame(cookieIn(request.headers.get('cookie') ?? '', cookieName()), session);
  const hasToken = (request: Request): boolean =>
    isSame(/^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1], token);
  return {
    checkPlace: (request) => {
      const host = request.headers.get('host') ?? '';
      if (!isOwnHost(host, { address, allowedHosts, port: port() }))
        throw new ApiError(
          `This server is not ${JSON.stringify(host.slice(0, 200))}. Open the address that fullstop dashboard printed, or name the host with --allow-host.`,
          { status: 421, code: 'WRONG_HOST' },
        );
      const origin = request.headers.get('origin');
      // A proxy in front of a host that was named may speak https.
      const isForeign = origin !== null && origin !== `http://${host}` && !isNamedOrigin(origin, host, allowedHosts);
      const site = request.headers.get('sec-fetch-site');
      // Someone may follow a link from elsewhere to a page; no page elsewhere may ask for anything else.
      const isNavigation = request.method === 'GET' && request.headers.get('sec-fetch-mode') === 'navigate';
      if (isForeign || ((site === 'cross-site' || site === 'same-site') && !isNavigation))
        throw new ApiError('Only pages of this server may ask it.', { status: 403, code: 'FOREIGN_ORIGIN' });
    },
    isKnown: (request) => hasCookie(request) || hasToken(request),
    checkRight: (request) => {
      if (hasToken(request)) return;
      if (!hasCookie(request))
        throw new ApiError('Open the address that fullstop dashboard printed: it carries the token.', {
          status: 401,
          code: 'TOKEN_NEEDED',
        });
      if (request.method !== 'GET' && request.headers.get('origin') === null)
        throw new ApiError('A change needs the Origin of this server, or the token as a bearer.', {
          status: 403,
          code: 'FOREIGN_ORIGIN',
        });
    },
    admit: (given) =>
      isSame(given, token) ? `${cookieName()}=${session}; HttpOnly; SameSite=Strict; Path=/` : undefined,
  };
}

interface HostQuestion {
  readonly address: string;
  readonly allowedHosts: readonly string[];
  readonly port: number;
}

/**
 * A page elsewhere can have its name lead here (DNS rebinding), so only names that cannot be someone else's are accepted: those of the
 * loopback, and, where the server listens for others too, addresses in digits and the names that were given.
 */
function isOwnHost(host: string, { address, allowedHosts, port }: HostQuestion): boolean {
  const [, name = '', given = '80'] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/i.exec(host) ?? [];
  const plain = name.replace(/^\[|\]$/g, '').toLowerCase();
  if (allowedHosts.some((allowed) => allowed.toLowerCase() === plain)) return true;
  if (Number(given) !== port) return false;
  return isLoopback(plain) || (!isLoopback(address) && isIP(plain) !== 0);
}

function isNamedOrigin(origin: string, host: string, allowedHosts: readonly string[]): boolean {
  return origin === `https://${host}` && allowedHosts.some((name) => name.toLowerCase() === nameOf(host));
}

/** A host without its port. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

function cookieIn(header: string, name: string): string | undefined {
  const pair = header.split(/;\s*/).find((part) => part.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

/** Compared in a time that says nothing about either. */
function isSame(given: string | undefined, secret: string): boolean {
  if (given === undefined) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
