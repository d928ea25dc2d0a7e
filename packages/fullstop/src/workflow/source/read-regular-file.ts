import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs';
import { relative, sep } from 'node:path';

/** The largest file that is read; the files of a run are kept in its journal. */
export const largestFile = 10_000_000;

/** A file that is there and is not read. */
export class FileRefused extends Error {
  readonly code = 'FILE_REFUSED';

  constructor(found: string) {
    super(`The file is not read: ${found}`);
    this.name = 'FileRefused';
  }
}

/** Folders whose files are no files: what is read there is made by the system, or never ends. */
const systemFolders = ['/dev', '/proc', '/sys'];
/** proc, sysfs, devpts, debugfs, tracefs, securityfs, configfs, cgroup 1 and 2, pstore and bpf, wherever they are mounted. */
const systemKinds: ReadonlySet<number> = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x64626720, 0x74726163, 0x73636673, 0x62656570, 0x27e0eb, 0x63677270, 0x6165676c,
  0xcafe4a11,
]);

/** The text of a regular file: no device, no pipe, nothing that the system makes up, and not too large. */
export function readRegularFile(path: string, folder?: string): string {
  checkRegularFile(path, folder);
  // Should it become a pipe just now, opening it does not wait.
  const opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  try {
    refuseOthers(fstatSync(opened));
    return new TextDecoder('utf-8', { fatal: true }).decode(readAtMost(opened, largestFile));
  } finally {
    closeSync(opened);
  }
}

/** Throws unless the file may be read, and is below the folder where one is given; links are followed first. */
export function checkRegularFile(path: string, folder?: string): void {
  refuseOthers(statSync(path));
  const real = realpathSync(path);
  if (folder !== undefined && !isBelow(real, realpathSync(folder)))
    throw new FileRefused(`it is at ${real}, outside of ${folder}, and the load is confined to it`);
  const isSystem =
    systemFolders.some((system) => isBelow(real, system)) || systemKinds.has(Number(statfsSync(real).type) >>> 0);
  if (isSystem) throw new FileRefused(`${real} is not on a disk, but made up by the system`);
}

/** Whether a path is inside a folder, as both are written. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function refuseOthers(found: Stats): void {
  if (!found.isFile()) throw new FileRefused(`it is ${kindOf(found)}, and only regular files are read`);
  if (found.size > largestFile) throw tooLarge(`it has ${found.size} bytes`);
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  return 'a device';
}

/** The size that a file claims may be wrong, so that it is counted. */
function readAtMost(opened: number, most: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = new Uint8Array(65_536);
    const read = readSync(opened, chunk);
    if (read === 0) return Buffer.concat(chunks);
    size += read;
    if (size > most) throw tooLarge('it goes on');
    chunks.push(chunk.subarray(0, read));
  }
}

function tooLarge(found: string): FileRefused {
  return new FileRefused(`${found}, and at most ${largestFile} bytes are read`);
}
