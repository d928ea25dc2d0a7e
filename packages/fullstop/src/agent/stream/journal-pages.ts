import type { AbortSignalLike, Engine } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { listenToChanges } from './live-channel.js';

/** A run whose journal is read while it grows, in this process or in any other. */
export interface JournalSource {
  readonly engine: Engine;
  readonly runId: string;
  /** True when nothing more will come: what is in the journal then is all. */
  isAtRest(): boolean | Promise<boolean>;
  /** Settles when it may be at rest. */
  readonly rested?: PromiseLike<unknown>;
  /** True for a reader that works longer the longer the journal is: it gets at most a tenth of the time, so that the run is not slowed down. */
  readonly isPaced?: boolean;
  /** Stops the reading. */
  readonly signal?: AbortSignalLike | undefined;
}

const page = 500;

/** How often to look for what another process has written. */
const lookAgainMs = 250;

/** The journal of a run as it grows, in pages and by cursor: a slow reader slows nobody and loses nothing. */
export async function* journalPages(
  source: JournalSource,
  after: number,
): AsyncGenerator<readonly JournalEntry[], undefined, undefined> {
  const { engine, runId, signal } = source;
  for (let cursor = after, busyMs = 0; ; ) {
    const changed = nextChange(source);
    try {
      // Asked before the journal is read, so that nothing which was written until then is missed.
      const isLast = await source.isAtRest();
      const entries = await engine.journal(runId, { after: cursor, limit: page });
      cursor = entries.at(-1)?.seq ?? cursor;
      if (entries.length > 0) {
        const before = host.performance.now();
        yield entries;
        busyMs = host.performance.now() - before;
      }
      if (signal?.aborted === true || (entries.length === 0 && isLast)) return undefined;
      if (entries.length >= page || isLast) continue;
      await changed.promise;
      await rest(busyMs, source);
    } finally {
      changed.cancel();
    }
  }
}

/** Too short to be worth a timer, and too long for whoever watches. */
const [shortestPauseMs, longestPauseMs] = [5, 1_000];

/** Lets others work after the reader has, but not longer than until the run is at rest. */
async function rest(busyMs: number, { rested, isPaced = false }: JournalSource): Promise<void> {
  const milliseconds = busyMs * 9;
  if (!isPaced || milliseconds < shortestPauseMs) return;
  await new Promise<void>((resolve) => {
    const timer = host.setTimeout(resolve, Math.min(milliseconds, longestPauseMs));
    const stop = (): void => {
      host.clearTimeout(timer);
      resolve();
    };
    rested?.then(stop, stop);
  });
}

interface Change {
  readonly promise: Promise<void>;
  cancel(): void;
}

/** Settles when there may be something new. */
function nextChange({ runId, rested, signal }: JournalSource): Change {
  let wake: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const unlisten = listenToChanges(runId, wake);
  const timer = host.setTimeout(wake, lookAgainMs);
  signal?.addEventListener('abort', wake, { once: true });
  rested?.then(wake, wake);
  return {
    promise,
    cancel: () => {
      unlisten();
      host.clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
    },
  };
}
