import type { z } from 'zod';

/** Who asks, as far as a route needs to know. */
export interface RouteSignal {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly headers: Headers;
}

/** The parts of a request after they were checked. */
export interface RouteInput<TQuery, TBody> extends RouteSignal {
  readonly params: Readonly<Record<string, string>>;
  readonly query: TQuery;
  readonly body: TBody;
}

/** One operation of the API as data: the server, the checks and the description are made from it. */
export interface ApiRoute {
  readonly method: 'get' | 'post';
  /** Below `/api`, such as `/runs/:id`. */
  readonly path: string;
  readonly summary: string;
  /** True where it changes something: refused by a server that only reads. */
  readonly changes: boolean;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  /** The schema of the JSON that it answers with, or the type of another answer. */
  readonly response: z.ZodType | 'text/event-stream' | 'application/x-ndjson' | 'application/octet-stream';
  handle(input: RouteInput<unknown, unknown>): Promise<unknown>;
}

interface RouteParts<TQuery extends z.ZodType, TBody extends z.ZodType, TResponse extends z.ZodType> {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly changes?: boolean;
  readonly query?: TQuery;
  readonly body?: TBody;
  readonly response: TResponse;
  handle(input: RouteInput<z.output<TQuery>, z.output<TBody>>): Promise<z.input<TResponse>>;
}

/** Checks that a handler returns what its schema says. */
export function jsonRoute<
  TQuery extends z.ZodType = z.ZodUndefined,
  TBody extends z.ZodType = z.ZodUndefined,
  TResponse extends z.ZodType = z.ZodUndefined,
>(parts: RouteParts<TQuery, TBody, TResponse>): ApiRoute {
  const { changes = parts.method === 'post', query, body, ...rest } = parts;
  return { ...rest, changes, query, body, handle: rest.handle as ApiRoute['handle'] };
}

interface StreamParts<TQuery extends z.ZodType> {
  readonly path: string;
  readonly summary: string;
  readonly query?: TQuery;
  readonly response: Exclude<ApiRoute['response'], z.ZodType>;
  handle(input: RouteInput<z.output<TQuery>, undefined>): Promise<Response>;
}

/** A route that answers with something else than JSON. */
export function streamRoute<TQuery extends z.ZodType = z.ZodUndefined>(parts: StreamParts<TQuery>): ApiRoute {
  const { query, ...rest } = parts;
  return { ...rest, method: 'get', changes: false, query, body: undefined, handle: rest.handle as ApiRoute['handle'] };
}
