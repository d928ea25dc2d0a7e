import type { AbortSignalLike } from './engine.js';

/** The globals that every JavaScript host of ours has. Named here because the library compiles without DOM or Node types. */
interface Host {
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
  /** Node only; browsers make do with a timer. */
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly clearImmediate?: (immediate: unknown) => void;
  readonly MessageChannel?: new () => {
    readonly port1: { onmessage: (() => void) | null; close(): void };
    readonly port2: { postMessage(message: unknown): void };
  };
  readonly AbortController: new () => { readonly signal: AbortSignalLike; abort(reason?: unknown): void };
  readonly performance: { now(): number };
  readonly crypto: { randomUUID(): string; readonly subtle: SubtleLike };
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  atob(base64: string): string;
  btoa(binary: string): string;
  readonly fetch: FetchLike;
  readonly console?: { error(...words: readonly unknown[]): void };
  readonly ReadableStream: new (source: StreamSource) => StreamLike;
  readonly URL: (new (url: string) => object) & { canParse(url: string): boolean };
  /** Node only. */
  readonly process?: ProcessLike & {
    readonly versions?: Readonly<Record<string, string | undefined>>;
    readonly nextTick?: (callback: () => void) => void;
    readonly getBuiltinModule?: (name: string) => unknown;
    readonly env?: Readonly<Record<string, string | undefined>>;
  };
}

/** The part of Web Crypto that we use. */
interface SubtleLike {
  digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer>;
  importKey(
    format: 'raw',
    key: Uint8Array,
    algorithm: object,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<object>;
  sign(algorithm: 'HMAC', key: object, data: Uint8Array): Promise<ArrayBuffer>;
  verify(algorithm: 'HMAC', key: object, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
}

/** The part of a ReadableStream that we use. */
export interface StreamLike {
  getReader(): {
    read(): PromiseLike<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): PromiseLike<unknown>;
    releaseLock(): void;
  };
}

/** The making of a stream. */
interface StreamSource {
  pull(controller: StreamController): PromiseLike<void> | void;
  cancel?(reason: unknown): PromiseLike<unknown> | undefined;
}

interface StreamController {
  enqueue(part: unknown): void;
  close(): void;
  error(reason: unknown): void;
}

/** The part of `fetch` that we use. */
export type FetchLike = (
  url: string,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignalLike;
    /** Redirects are answers like any other; they are never followed. */
    readonly redirect: 'manual';
  },
) => Promise<{ readonly ok: boolean; readonly status: number; readonly headers: { get(name: string): string | null } }>;

/** The part of Node's `process` that we use. */
export interface ProcessLike {
  on(signal: string, listener: (signal: string) => void): unknown;
  off(signal: string, listener: (signal: string) => void): unknown;
  exit(code: number): unknown;
}

export const host: Host = globalThis as unknown as Host;
