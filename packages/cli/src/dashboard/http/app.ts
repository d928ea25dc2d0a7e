import { Hono } from 'hono';
import type { z } from 'zod';
import type { Mask } from '../../terminal/terminal.js';
import { ApiError, toFailure } from './api-error.js';
import type { Guard } from './guard.js';
import { safeHeaders } from './headers.js';
import { signInPage, tokenPage } from './plain-pages.js';
import { readBody } from './read-body.js';
import type { ApiRoute } from './route.js';
import type { StaticFile } from './static-files.js';

/** The largest body: an answer may carry a value. */
const mostBytes = 1_000_000;

export interface AppParts {
  readonly guard: Guard;
  readonly routes: readonly ApiRoute[];
  readonly files: ReadonlyMap<string, StaticFile>;
  readonly readOnly: boolean;
  /** Puts names in the place of secrets, in everything that leaves. */
  readonly mask: Mask;
  /** Told of the address of each page that is opened. */
  prepare(path: string): void;
}

/** The server as a function of requests: who may ask, the API, and the page. */
export function makeApp(parts: AppParts): Hono {
  const { guard, routes } = parts;
  const app = new Hono();
  app.use(async (context, next) => {
    guard.checkPlace(context.req.raw);
    await next();
    for (const [name, value] of Object.entries(safeHeaders)) context.header(name, value);
  });
  app.use('/api/*', async (context, next) => {
    guard.checkRight(context.req.raw);
    await next();
    context.header('cache-control', 'no-store');
  });
  for (const route of routes)
    app.on(route.method, `/api${route.path}`, async (context) => answer(route, context.req, parts));
  app.all('/api/*', (context) => {
    throw new ApiError(`There is no ${context.req.method} ${context.req.path}.`, { status: 404, code: 'NOT_FOUND' });
  });
  app.get('*', (context) => page(context.req.raw, parts));
  app.notFound((context) => {
    throw new ApiError(`${context.req.method} is not possible here.`, { status: 405, code: 'WRONG_METHOD' });
  });
  app.onError((error) => refuse(error, parts.mask));
  return app;
}

interface AskedRequest {
  readonly raw: Request;
  param(): Record<string, string>;
  queries(): Record<string, string[]>;
}

async function answer(route: ApiRoute, asked: AskedRequest, { readOnly, mask }: AppParts): Promise<Response> {
  if (route.changes && readOnly)
    throw new ApiError('This dashboard was started with --read-only: it changes nothing.', {
      status: 403,
      code: 'READ_ONLY',
    });
  const { raw } = asked;
  const query = route.query === undefined ? undefined : checked(route.query, single(asked.queries()), 'query');
  const body = route.body === undefined ? undefined : checked(route.body, await readBody(raw, mostBytes), 'body');
  const input = { params: asked.param(), query, body, signal: raw.signal, headers: raw.headers };
  const result = await route.handle(input);
  return result instanceof Response ? result : json(200, result, mask);
}

function checked(schema: z.ZodType, value: unknown, part: 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const text = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  throw new ApiError(`The ${part} cannot be used: ${text}.`, { status: 400, code: 'INVALID_REQUEST', details: issues });
}

/** A name that is given twice is refused with the schema, which expects a text. */
function single(queries: Readonly<Record<string, string[]>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

function json(status: number, value: unknown, mask: Mask): Response {
  return new Response(mask(JSON.stringify(value)), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
}

function refuse(error: unknown, mask: Mask): Response {
  const { status, body } = toFailure(error);
  const response = json(status, body, mask);
  for (const [name, value] of Object.entries(safeHeaders)) response.headers.set(name, value);
  response.headers.set('cache-control', 'no-store');
  return response;
}

/** The page itself, for every address that is not a file of it: the address is the state of the page. */
function page(request: Request, { guard, files, prepare }: AppParts): Response {
  const url = new URL(request.url);
  const token = url.searchParams.get('token');
  if (token !== null) return admitted(url, token, guard);
  const file = files.get(url.pathname);
  if (file !== undefined && url.pathname !== '/index.html') return fileResponse(file);
  if (isNoPage(url.pathname))
    throw new ApiError(`There is no ${url.pathname.slice(0, 200)}.`, { status: 404, code: 'NOT_FOUND' });
  if (!guard.isKnown(request)) return signInPage(url);
  const index = files.get('/index.html');
  if (index === undefined)
    throw new ApiError('The files of the dashboard are not there: this installation is not whole.', {
      status: 503,
      code: 'PAGE_MISSING',
    });
  prepare(url.pathname);
  return fileResponse(index);
}

/** Addresses of files that are not there, and those that try to leave the folder. */
function isNoPage(address: string): boolean {
  if (/^\/(assets\/|\.)|%00/i.test(address)) return true;
  const plain = address.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/');
  return plain.split('/').includes('..');
}

function admitted(url: URL, token: string, guard: Guard): Response {
  const cookie = guard.admit(token);
  if (cookie === undefined)
    throw new ApiError(
      'The token in the address is not the one of this server. Each start has its own: open the address that fullstop dashboard printed.',
      { status: 401, code: 'WRONG_TOKEN' },
    );
  url.searchParams.delete('token');
  const response = tokenPage(`${url.pathname}${url.search}`);
  response.headers.set('set-cookie', cookie);
  return response;
}

function fileResponse({ type, bytes, isHashed }: StaticFile): Response {
  const kept = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
  return new Response(bytes, { headers: { 'content-type': type, 'cache-control': kept } });
}
