import { closeSync, openSync, readSync } from 'node:fs';

// The layout of SQLite's write-ahead log: https://www.sqlite.org/walformat.html
export const log = { headerBytes: 32, magic: 0x377f0682, salts: 16, checksum: 24 } as const;
export const frame = { headerBytes: 24, pagesAfterCommit: 4, salts: 8, checksum: 16 } as const;

/** The two sums over everything before and these bytes, whose length is a multiple of 8. */
type Sums = readonly [first: number, second: number];

/** True when a log begins with a header as SQLite writes it. */
export function isHeaderIntact(header: Buffer): boolean {
  if ((header.readUInt32BE(0) & ~1) >>> 0 !== log.magic) return false;
  return isEqual(addUp(header.subarray(0, log.checksum), isBigEndian(header), [0, 0]), sumsAt(header, log.checksum));
}

/** True when a frame, its header with its page, continues what was written up to `before`: a whole header, or the header of a frame. */
export function isFrameIntact(whole: Buffer, before: Buffer, header: Buffer): boolean {
  const isBig = isBigEndian(header);
  const seed = sumsAt(before, before.length === log.headerBytes ? log.checksum : frame.checksum);
  const afterHead = addUp(whole.subarray(0, 8), isBig, seed);
  return isEqual(addUp(whole.subarray(frame.headerBytes), isBig, afterHead), sumsAt(whole, frame.checksum));
}

function isBigEndian(header: Buffer): boolean {
  return (header.readUInt32BE(0) & 1) === 1;
}

function sumsAt(bytes: Buffer, place: number): Sums {
  return [bytes.readUInt32BE(place), bytes.readUInt32BE(place + 4)];
}

function isEqual(one: Sums, other: Sums): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

function addUp(bytes: Buffer, isBig: boolean, seed: Sums): Sums {
  let [sum, other] = seed;
  const read = (place: number): number => (isBig ? bytes.readUInt32BE(place) : bytes.readUInt32LE(place));
  for (let place = 0; place < bytes.length; place += 8) {
    sum = (sum + read(place) + other) >>> 0;
    other = (other + read(place + 4) + sum) >>> 0;
  }
  return [sum, other];
}

type Part = readonly [start: number, length: number];

export function readBytes(path: string, part: Part): Buffer {
  const handle = openSync(path, 'r');
  try {
    return readFrom(handle, part);
  } finally {
    closeSync(handle);
  }
}

export function readFrom(handle: number, [start, length]: Part): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(handle, bytes, 0, length, start);
  return bytes;
}
