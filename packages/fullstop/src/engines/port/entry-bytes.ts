// The form of the chain is part of every file that holds one: a change here is a new version of the format.

/** The place of an entry in its run. */
export interface EntryPlace {
  readonly segment: number;
  readonly seq: number;
  readonly scope: string;
  readonly ordinal: number;
  readonly at: number;
  readonly type: string;
  readonly key?: string | null | undefined;
}

/** Where a chain begins. */
export const chainStart = '';

/** Data longer than this many characters is stored as a reference to a blob. */
const longestData = 65_536;
const referencePrefix = 'blob:';

/**
 * The bytes of an entry that its hash is made of. `storedText` is the text of the data as it is stored. The head is JSON
 * and so has no line break: nothing can be moved between head and data.
 */
export function entryBytes(runId: string, place: EntryPlace, storedText: string): string {
  const { segment, seq, scope, ordinal, at, type, key } = place;
  return `${JSON.stringify([runId, segment, seq, scope, ordinal, at, type, key ?? null])}\n${storedText}`;
}

/** The text that is hashed for an entry: the hash of the one before it, or `chainStart`, and its own bytes. */
export function chainInput(previous: string, bytes: string): string {
  return previous + bytes;
}

/** True when a data text must go to a blob: it is long, or could be taken for a reference. */
export function needsBlob(text: string): boolean {
  return text.length > longestData || text.startsWith(referencePrefix);
}

/** The text of an entry whose data is in a blob. It holds the content's hash, so the chain covers the content. */
export function referenceTo(blobHash: string): string {
  return `${referencePrefix}${blobHash}`;
}

/** The hash of the blob that a stored data text refers to, if it is a reference. */
export function parseReference(text: string): string | undefined {
  return text.startsWith(referencePrefix) ? text.slice(referencePrefix.length) : undefined;
}
