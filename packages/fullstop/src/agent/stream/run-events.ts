import type { Engine } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';

export interface RunEventOptions {
  /** Entries after this sequence number; from the first one on unless given. */
  readonly after?: number;
}

interface Source {
  readonly engine: Engine;
  readonly runId: string;
  /** Settles when nothing more will come. */
  readonly ended: PromiseLike<unknown>;
  /** Settles when there may be something new. */
  changed(): Promise<void>;
}

const page = 500;

/** The journal of a run as it grows, read by cursor: a slow reader slows nobody and loses nothing. */
export async function* runEvents(
  { engine, runId, ended, changed }: Source,
  { after = 0 }: RunEventOptions = {},
): AsyncGenerator<JournalEntry, undefined, undefined> {
  let isOver = false;
  const over = ended.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  for (let cursor = after; ; ) {
    const [last, next] = [isOver, changed()];
    const entries = await engine.journal(runId, { after: cursor, limit: page });
    for (const entry of entries) {
      yield entry;
      cursor = entry.seq;
    }
    if (entries.length === 0 && last) return undefined;
    if (entries.length < page) await Promise.race([next, over]);
  }
}
