import { closeSync, copyFileSync, openSync, statSync } from 'node:fs';
import { FullstopError } from '../../../../termination/errors/fullstop-error.js';
import type { Database } from '../../driver/driver.js';
import { frame, isFrameIntact, isHeaderIntact, log, readBytes, readFrom } from './log-format.js';

/**
 * Says once that commits were lost: the damaged log is kept under another name, and whoever opens the file the next time
 * continues from what is left.
 */
export function refuseLostCommits(database: Database, file: string): void {
  const pageBytes = pageBytesOf(database);
  if (countLostCommits(file, pageBytes) === 0) return;
  // Whoever writes at this moment would look like damage too.
  database.exec('BEGIN IMMEDIATE');
  const lost = countLostCommits(file, pageBytes);
  const kept = `${file}-wal.damaged-${Date.now()}`;
  if (lost > 0) copyFileSync(`${file}-wal`, kept);
  database.exec('ROLLBACK');
  if (lost === 0) return;
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  throw new FullstopError(
    'STORE_CORRUPT',
    `${file}-wal was damaged, and ${lost} of its last commits cannot be read: runs may be further back than they were. The damaged log is kept as ${kept}. Restore a backup, or open the store again to continue from what is left.`,
  );
}

/**
 * The same for whoever only reads, and so has no lock that keeps writers away and leaves everything as it is.
 */
export function refuseToReadLostCommits(database: Database, file: string): void {
  const pageBytes = pageBytesOf(database);
  const first = damageOf(file, pageBytes);
  if (first === undefined) return;
  // Two reads that differ have met a writer at work, who has looked for damage when it opened the file.
  const second = damageOf(file, pageBytes);
  if (second === undefined || !second.header.equals(first.header) || second.lost !== first.lost) return;
  throw new FullstopError(
    'STORE_CORRUPT',
    `${file}-wal is damaged, and ${second.lost} of its last commits cannot be read: runs may be further back than they were. Nothing was changed. Restore a backup, or open the store once where it may be written, which keeps the damaged log under another name and continues from what is left.`,
  );
}

interface LogDamage {
  readonly lost: number;
  /** The header of the log, which every new log changes. */
  readonly header: Buffer;
}

function damageOf(file: string, pageBytes: number): LogDamage | undefined {
  try {
    const lost = countLostCommits(file, pageBytes);
    return lost === 0 ? undefined : { lost, header: readBytes(`${file}-wal`, [0, log.headerBytes]) };
  } catch (error) {
    // Taken away by the last writer, who has folded everything in.
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}

function pageBytesOf(database: Database): number {
  return database.prepare<{ page_size: number }>('PRAGMA page_size').get()?.page_size ?? 4096;
}

/**
 * Counts the commits in a log that SQLite does not see. It reads a log up to the first frame that does not fit and takes the
 * rest for left over from earlier: damage would undo everything after it without a word. Frames that are left over have
 * the salts of an earlier log, those after the damage have the salts of this one. A writer that was killed leaves such frames
 * too, of one commit that nobody was told of; only a commit that others were built on was certainly lost.
 * To be trusted only while nobody writes.
 *
 * The index beside the log would say how far SQLite has come, but must not be opened: closing it takes away this process's locks
 * on it, and another one would begin it anew under our feet.
 */
function countLostCommits(file: string, pageBytes: number): number {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= log.headerBytes) return 0;
  const length = frame.headerBytes + pageBytes;
  const handle = openSync(`${file}-wal`, 'r');
  try {
    const header = readFrom(handle, [0, log.headerBytes]);
    const isHeaderDamaged = !isHeaderIntact(header);
    // A header that is damaged cannot say which frames are its own; the first of them can.
    const salts = isHeaderDamaged
      ? saltsOf(readFrom(handle, [log.headerBytes, frame.headerBytes]))
      : header.subarray(log.salts, log.salts + 8);
    let lost = 0;
    let isCertain = isHeaderDamaged;
    let before: Buffer | undefined;
    const first = isHeaderDamaged ? log.headerBytes : endOfIntact(handle, { header, length, size });
    for (let place = first; place + length <= size; place += length) {
      const whole = readFrom(handle, [place, length]);
      if (!isOfLog(saltsOf(whole), salts)) break;
      isCertain ||= continues(whole, before, header);
      const isCommit = isCommitOf(whole);
      if (isCommit) lost += 1;
      before = isCommit ? whole.subarray(0, frame.headerBytes) : undefined;
    }
    return isCertain ? lost : 0;
  } finally {
    closeSync(handle);
  }
}

interface Frames {
  readonly header: Buffer;
  readonly length: number;
  readonly size: number;
}

/** The place after the last commit up to which every frame fits those before it: as far as SQLite reads. */
function endOfIntact(handle: number, { header, length, size }: Frames): number {
  let end: number = log.headerBytes;
  let before = header;
  for (let place = end; place + length <= size; place += length) {
    const whole = readFrom(handle, [place, length]);
    const isOwn = saltsOf(whole).equals(header.subarray(log.salts, log.salts + 8));
    if (!isOwn || !isFrameIntact(whole, before, header)) break;
    if (isCommitOf(whole)) end = place + length;
    before = whole.subarray(0, frame.headerBytes);
  }
  return end;
}

function isCommitOf(whole: Buffer): boolean {
  return whole.readUInt32BE(frame.pagesAfterCommit) !== 0;
}

/** Whether a frame was written after a commit, and on top of it. */
function continues(whole: Buffer, commit: Buffer | undefined, header: Buffer): boolean {
  return commit !== undefined && isFrameIntact(whole, commit, header);
}

function saltsOf(head: Buffer): Buffer {
  return head.subarray(frame.salts, frame.salts + 8);
}

/** One of the two salts is enough: the other may be what is damaged, and two logs have none in common. */
function isOfLog(salts: Buffer, own: Buffer): boolean {
  return salts.subarray(0, 4).equals(own.subarray(0, 4)) || salts.subarray(4).equals(own.subarray(4));
}
