import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { endianness } from 'node:os';
import { FullstopError } from '../../../../termination/errors/fullstop-error.js';
import type { Database } from '../../driver/driver.js';

// The layout of SQLite's write-ahead log and of the index beside it: https://www.sqlite.org/walformat.html
const log = { headerBytes: 32, magic: 0x377f0682, salts: 16, checksum: 24 } as const;
const frame = { headerBytes: 24, pagesAfterCommit: 4, salts: 8 } as const;
const index = { headerBytes: 48, isReady: 12, frames: 16, salts: 32 } as const;

/**
 * Says once that commits were lost: the damaged log is kept under another name, and whoever opens the file the next time
 * continues from what is left.
 */
export function refuseLostCommits(database: Database, file: string): void {
  const pageBytes = database.prepare<{ page_size: number }>('PRAGMA page_size').get()?.page_size ?? 4096;
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
 * Counts the commits in a log that SQLite does not see. It reads a log up to the first frame that does not fit and takes the
 * rest for left over from earlier: damage would undo everything after it without a word. Frames that are left over have
 * the salts of an earlier log, those after the damage have the salts of this one. To be trusted only while nobody writes.
 */
export function countLostCommits(file: string, pageBytes: number): number {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= log.headerBytes || !existsSync(`${file}-shm`)) return 0;
  const known = readBytes(`${file}-shm`, [0, index.headerBytes]);
  if (known[index.isReady] !== 1) return 0;
  const seen = endianness() === 'LE' ? known.readUInt32LE(index.frames) : known.readUInt32BE(index.frames);
  const length = frame.headerBytes + pageBytes;
  const first = log.headerBytes + seen * length;
  const handle = openSync(`${file}-wal`, 'r');
  try {
    const isHeaderDamaged = seen === 0 && !fitsChecksum(readFrom(handle, [0, log.headerBytes]));
    // A header that is damaged cannot say which frames are its own; the first of them can.
    const salts = isHeaderDamaged
      ? saltsOf(readFrom(handle, [log.headerBytes, frame.headerBytes]))
      : known.subarray(index.salts, index.salts + 8);
    let lost = 0;
    for (let place = first; place + length <= size; place += length) {
      const head = readFrom(handle, [place, frame.headerBytes]);
      if (!isOfLog(saltsOf(head), salts)) break;
      if (head.readUInt32BE(frame.pagesAfterCommit) !== 0) lost += 1;
    }
    return lost;
  } finally {
    closeSync(handle);
  }
}

function saltsOf(head: Buffer): Buffer {
  return head.subarray(frame.salts, frame.salts + 8);
}

/** One of the two salts is enough: the other may be what is damaged, and two logs have none in common. */
function isOfLog(salts: Buffer, own: Buffer): boolean {
  return salts.subarray(0, 4).equals(own.subarray(0, 4)) || salts.subarray(4).equals(own.subarray(4));
}

function fitsChecksum(header: Buffer): boolean {
  const magic = header.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== log.magic) return false;
  const isBig = (magic & 1) === 1;
  let [sum, other] = [0, 0];
  for (let place = 0; place < log.checksum; place += 8) {
    const [one, two] = [place, place + 4].map((at) => (isBig ? header.readUInt32BE(at) : header.readUInt32LE(at)));
    sum = (sum + (one as number) + other) >>> 0;
    other = (other + (two as number) + sum) >>> 0;
  }
  return header.readUInt32BE(log.checksum) === sum && header.readUInt32BE(log.checksum + 4) === other;
}

type Part = readonly [start: number, length: number];

function readBytes(path: string, part: Part): Buffer {
  const handle = openSync(path, 'r');
  try {
    return readFrom(handle, part);
  } finally {
    closeSync(handle);
  }
}

function readFrom(handle: number, [start, length]: Part): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(handle, bytes, 0, length, start);
  return bytes;
}
