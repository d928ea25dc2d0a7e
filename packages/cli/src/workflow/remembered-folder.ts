import { existsSync } from 'node:fs';
import type { JsonObject } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';

// In the options of the entries that open a segment.
const place = 'folder';

/** The folder in which someone started a run for a worker, as an option to store with it. */
export function rememberFolder(folder: string): JsonObject {
  return { [place]: folder };
}

/** Where the scripts of a run are executed: the folder that it was started for, if it is still there. */
export function rememberedFolder(journal: readonly JournalEntry[]): string | undefined {
  const folders = journal.flatMap((entry) => {
    if (entry.type !== 'run_started' && entry.type !== 'segment_opened') return [];
    const folder = entry.data.options?.[place];
    return typeof folder === 'string' && existsSync(folder) ? [folder] : [];
  });
  return folders.at(-1);
}
