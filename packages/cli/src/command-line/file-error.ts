import { relative } from 'node:path';

/** The words for what the system says about a file that somebody named. */
const words: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use it',
  EEXIST: 'there is a file of that name',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead back to themselves',
  ENOENT: 'it, or the folder that it would be in, does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file and not a folder',
  EPERM: 'this user may not use it',
  EROFS: 'the file system can only be read',
};

/** A sentence about a file or folder that cannot be read, written or made; undefined for any other error. */
export function fileErrorText(error: unknown): string | undefined {
  const { code, path, syscall } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || typeof path !== 'string' || typeof syscall !== 'string') return undefined;
  const problem = words[code];
  if (problem === undefined) return undefined;
  const near = relative(process.cwd(), path) || '.';
  return `${near.startsWith('..') ? path : near} cannot be used (${syscall}): ${problem}.`;
}
