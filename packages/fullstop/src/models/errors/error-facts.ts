import { host } from '../../engines/port/host.js';
import { isObject } from '../../termination/json.js';

/** The facts in whatever a model call threw, without knowing its class. */
export interface ErrorFacts {
  /** Names of the errors of the chain, outermost first. */
  readonly names: readonly string[];
  readonly messages: readonly string[];
  /** Codes, types and states, of the errors and of the provider's body. */
  readonly codes: readonly string[];
  readonly status: number | undefined;
  /** The message in the provider's body. */
  readonly bodyMessage: string | undefined;
  /** The id of the request in the provider's body. */
  readonly bodyRequestId: string | undefined;
  /** The address that was asked, without its query and without credentials. */
  readonly url: string | undefined;
  /** The client's own opinion. */
  readonly retryable: boolean | undefined;
  /** A delay in the body, such as `34.5s`. */
  readonly bodyDelay: string | undefined;
  header(name: string): string | undefined;
}

const mostErrors = 20;
const longestBody = 100_000;
const longestMessage = 10_000;
const longestAddress = 500;

/** Reads an error and everything inside it. Never throws. */
export function readErrorFacts(thrown: unknown): ErrorFacts {
  const reader = new Reader();
  reader.read(thrown);
  return reader;
}

class Reader implements ErrorFacts {
  readonly names: string[] = [];
  readonly messages: string[] = [];
  readonly codes: string[] = [];
  status: number | undefined;
  bodyMessage: string | undefined;
  bodyRequestId: string | undefined;
  url: string | undefined;
  retryable: boolean | undefined;
  bodyDelay: string | undefined;
  readonly #headers: unknown[] = [];
  readonly #seen = new Set<unknown>();

  read(error: unknown): void {
    if (typeof error === 'string') this.#addMessage(error);
    if (typeof error !== 'object' || error === null) return;
    if (this.#seen.has(error) || this.#seen.size >= mostErrors) return;
    this.#seen.add(error);
    this.#addText(this.names, field(error, 'name'));
    this.#addMessage(field(error, 'message'));
    for (const key of ['code', 'type', 'status']) this.#addText(this.codes, field(error, key));
    this.#addResponse(error);
    const last = field(error, 'lastError');
    // The client's retries are over: what they ended with is what counts, not what went wrong before.
    if (last !== undefined) this.read(last);
    else this.#readInner(error);
  }

  header(name: string): string | undefined {
    for (const headers of this.#headers) {
      const get = field(headers, 'get');
      const value = typeof get === 'function' ? attempt(() => get.call(headers, name)) : findHeader(headers, name);
      if (typeof value === 'string') return value;
    }
    return undefined;
  }

  #readInner(error: object): void {
    this.read(field(error, 'cause'));
    const errors = field(error, 'errors');
    if (Array.isArray(errors)) for (const inner of errors.slice(0, mostErrors)) this.read(inner);
  }

  /** Status, headers and body, wherever clients keep them. */
  #addResponse(error: object): void {
    const response = field(error, 'response');
    this.#addStatus(
      field(error, 'statusCode'),
      field(error, 'status'),
      field(response, 'status'),
      field(error, 'code'),
    );
    for (const headers of [field(error, 'responseHeaders'), field(error, 'headers'), field(response, 'headers')]) {
      if (isObject(headers)) this.#headers.push(headers);
    }
    this.url ??= plainAddress(field(error, 'url')) ?? plainAddress(field(response, 'url'));
    const retryable = field(error, 'isRetryable');
    if (typeof retryable === 'boolean') this.retryable ??= retryable;
    this.#addBody(field(error, 'data'));
    this.#addBody(field(error, 'error'));
    const body = field(error, 'responseBody');
    if (typeof body === 'string' && body.length <= longestBody)
      this.#addBody(attempt(() => JSON.parse(body) as unknown));
  }

  #addStatus(...candidates: readonly unknown[]): void {
    this.status ??= candidates.find(isStatus);
  }

  #addBody(body: unknown): void {
    const whole: unknown = Array.isArray(body) ? body[0] : body;
    if (!isObject(whole)) return;
    const error = field(whole, 'error');
    if (typeof error === 'string') this.#addMessage(error);
    const inner = isObject(error) ? error : whole;
    this.#addMessage(field(inner, 'message'));
    const message = typeof error === 'string' ? error : field(inner, 'message');
    if (typeof message === 'string' && message !== '') this.bodyMessage ??= message.slice(0, longestMessage);
    const requestId = field(whole, 'request_id');
    if (typeof requestId === 'string' && requestId !== '') this.bodyRequestId ??= requestId.slice(0, 200);
    // Some gateways answer 200 and put the status of their provider into the body.
    this.#addStatus(field(inner, 'code'), field(inner, 'status'));
    for (const key of ['code', 'type', 'status']) this.#addText(this.codes, field(inner, key));
    const details = field(inner, 'details');
    if (Array.isArray(details)) for (const detail of details.slice(0, mostErrors)) this.#addDetail(detail);
  }

  /** Google's errors have the reason and the delay in a list of details. */
  #addDetail(detail: unknown): void {
    this.#addText(this.codes, field(detail, 'reason'));
    const delay = field(detail, 'retryDelay');
    if (typeof delay === 'string') this.bodyDelay ??= delay;
  }

  #addMessage(message: unknown): void {
    this.#addText(this.messages, typeof message === 'string' ? message.slice(0, longestMessage) : undefined);
  }

  #addText(list: string[], text: unknown): void {
    if (typeof text === 'string' && text !== '' && !list.includes(text)) list.push(text);
  }
}

/** Queries and user names of addresses hold keys; where a request went is said without them. */
function plainAddress(url: unknown): string | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  return attempt(() => {
    const { origin, pathname } = new host.URL(url) as { readonly origin: string; readonly pathname: string };
    return origin === 'null' ? undefined : `${origin}${pathname}`.slice(0, longestAddress);
  });
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599;
}

function findHeader(headers: unknown, name: string): unknown {
  if (!isObject(headers)) return undefined;
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : field(headers, key);
}

/** A property of a value from outside, whose getters may throw. */
function field(source: unknown, key: string): unknown {
  if (typeof source !== 'object' || source === null) return undefined;
  return attempt(() => (source as Readonly<Record<string, unknown>>)[key]);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // A getter that throws, or text that is no JSON, says nothing.
    return undefined;
  }
}
