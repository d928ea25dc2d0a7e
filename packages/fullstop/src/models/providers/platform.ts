import type { StreamLike } from '../language-model.js';

/** The globals that models need and that every JavaScript host of ours has; the library compiles without DOM types. */
interface Platform {
  readonly ReadableStream: new (source: StreamSource) => StreamLike;
  readonly URL: new (url: string) => object;
  /** Not in browsers. */
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

export interface StreamSource {
  pull(controller: StreamController): PromiseLike<void> | void;
  cancel?(reason: unknown): PromiseLike<unknown> | undefined;
}

export interface StreamController {
  enqueue(part: unknown): void;
  close(): void;
  error(reason: unknown): void;
}

export const platform: Platform = globalThis as unknown as Platform;
