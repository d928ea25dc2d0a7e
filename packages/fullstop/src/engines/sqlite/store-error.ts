import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isMovedAway, movedAway } from '../store/moving/moved-away.js';
import type { StoreFailure } from '../store/store-failure.js';

interface SqliteErrorLike {
  readonly code?: unknown;
  readonly rawCode?: unknown;
  readonly errcode?: unknown;
  readonly message?: unknown;
}

// Primary result codes of SQLite; extended ones carry them in their low byte.
const busy = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

const codeNames: readonly (readonly [string, number])[] = [
  ['SQLITE_BUSY', busy],
  ['SQLITE_LOCKED', locked],
  ['SQLITE_READONLY', readOnly],
  ['SQLITE_IOERR', ioError],
  ['SQLITE_CORRUPT', corrupt],
  ['SQLITE_FULL', full],
  ['SQLITE_CANTOPEN', cannotOpen],
  ['SQLITE_NOTADB', notADatabase],
];

/** Says what an error of a driver means and what to do about it. */
export function storeFailureOf(error: unknown, file: string): StoreFailure {
  if (FullstopError.is(error)) return { code: error.code, message: error.message };
  const said = messageOf(error);
  // The file knows where its runs are; whoever has it open asks.
  if (said.includes(isMovedAway)) return movedAway('another store');
  switch (primaryCodeOf(error)) {
    case busy:
    case locked:
      return {
        code: 'STORE_LOCKED',
        message: `${file} is locked by another process that did not release it in time. Find what holds a long transaction on it, or raise busyTimeoutMs.${said}`,
      };
    case readOnly:
      return {
        code: 'STORE_READ_ONLY',
        message: `${file} cannot be written: the file, its folder or its file system is read-only for this user, or the engine was opened with readOnly. SQLite also makes ${file}-wal and ${file}-shm beside it, so the folder must be writable too.${said}`,
      };
    case ioError:
      return {
        code: 'STORE_IO',
        message: `Reading or writing ${file} failed in the operating system. Check the disk and its messages; nothing that was acknowledged is lost.${said}`,
      };
    case corrupt:
      return {
        code: 'STORE_CORRUPT',
        message: `${file} is damaged. Stop everything that uses it, keep a copy, and restore a backup (or try the .recover command of the sqlite3 shell).${said}`,
      };
    case full:
      return {
        code: 'STORE_FULL',
        message: `There is no room left for ${file}. Free some space on its disk; the run continues from its last entry.${said}`,
      };
    case cannotOpen:
      return cannotOpenFailure(file, said);
    case notADatabase:
      return {
        code: 'STORE_NOT_A_DATABASE',
        message: `${file} is not a SQLite database (or an encrypted one). Give the engine a file of its own; it was not touched.${said}`,
      };
    default:
      return { code: 'STORE_FAILED', message: `The store ${file} failed.${said}` };
  }
}

export function storeErrorOf(error: unknown, file: string): FullstopError {
  const { code, message } = storeFailureOf(error, file);
  return new FullstopError(code, message, { cause: error });
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as SqliteErrorLike;
  return ` (SQLite said: ${typeof message === 'string' && message !== '' ? message : String(error)})`;
}

/** The primary result code, from whatever the driver reports: a number, a name, or only a text. */
function primaryCodeOf(error: unknown): number | undefined {
  const { code, rawCode, errcode, message } = (error ?? {}) as SqliteErrorLike;
  for (const number of [rawCode, errcode]) if (typeof number === 'number' && number !== 0) return number & 0xff;
  const named = codeNames.find(([name]) => typeof code === 'string' && code.startsWith(name));
  if (named !== undefined) return named[1];
  // libsql reports a failing open without a code, only in this text.
  const opening =
    typeof message === 'string' ? /Unable to open connection to local database .*: (\d+)/.exec(message) : null;
  return opening === null ? undefined : Number(opening[1]) & 0xff;
}

/** True where something beside the file would have to be made or changed, which is not allowed. */
export function isReadOnly(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === readOnly || code === cannotOpen;
}

/** True when another process holds what is needed. */
export function isBusy(error: unknown): boolean {
  return primaryCodeOf(error) === busy;
}

function cannotOpenFailure(file: string, said: string): StoreFailure {
  const folder = dirname(file);
  if (!isFolder(folder))
    return {
      code: 'STORE_READ_ONLY',
      message: `The folder ${folder} does not exist, so ${file} cannot be made. Make the folder first.${said}`,
    };
  if (isFolder(file))
    return { code: 'STORE_NOT_A_DATABASE', message: `${file} is a folder. Give the engine the name of a file.${said}` };
  const what = isWritable(folder) ? 'this user may not open it' : `the folder ${folder} is read-only for this user`;
  return {
    code: 'STORE_READ_ONLY',
    message: `${file} cannot be opened: ${what}. Give the engine a file in a folder that it may write to.${said}`,
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // Not being allowed is the answer, not a fault.
    return false;
  }
}
