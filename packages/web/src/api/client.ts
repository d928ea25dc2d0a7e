import type { ApiErrorBody } from './contract.js';

/** A request that did not succeed; the message is for the reader of the page. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: string;
  /** 0 where no response came. */
  readonly status: number;
  readonly details: unknown;

  constructor(
    message: string,
    about: { readonly code: string; readonly status: number; readonly details?: unknown; readonly cause?: unknown },
  ) {
    super(message, { cause: about.cause });
    this.code = about.code;
    this.status = about.status;
    this.details = about.details;
  }
}

type Transport = (path: string, init?: RequestInit) => Promise<Response>;

let transport: Transport = (path, init) => fetch(path, init);

/** Replaces the network, for pages that carry their data with them. */
export function setTransport(replacement: Transport): void {
  transport = replacement;
}

/** Requests something as it is; a refusal is an `ApiFailure`. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await send(path, init);
  if (response.ok) return response;
  throw await failureOf(response);
}

/** Reads a body of the API. */
export async function getJson<Body>(path: string, signal?: AbortSignal): Promise<Body> {
  const response = await request(path, signal === undefined ? {} : { signal });
  return (await response.json()) as Body;
}

/** Performs an action of the API. */
export async function postJson<Body>(path: string, body: unknown): Promise<Body> {
  const response = await request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Body;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await transport(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiFailure('The dashboard does not answer. Is `fullstop dashboard` still running?', {
      code: 'UNREACHABLE',
      status: 0,
      cause: error,
    });
  }
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const { status } = response;
  try {
    const { error } = (await response.json()) as ApiErrorBody;
    return new ApiFailure(error.message, { code: error.code, status, details: error.details });
  } catch (cause) {
    return new ApiFailure(`The dashboard answered with status ${status} and no explanation.`, {
      code: 'NOT_UNDERSTOOD',
      status,
      cause,
    });
  }
}

/** The path with those parameters that have a value. */
export function withParameters(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
}
