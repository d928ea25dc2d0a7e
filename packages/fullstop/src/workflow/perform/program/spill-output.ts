import { randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Secrets } from '../../../run/secrets/secrets.js';
import { StepProblem } from '../../machine/step-problem.js';

/** An output that is too long for the journal, and where it is to be kept. */
export interface SpilledOutput {
  /** The beginning of the file's name. */
  readonly name: string;
  readonly text: string;
  /** The folder that was named, if one was. */
  readonly directory: string | undefined;
  readonly secrets: Secrets | undefined;
}

/** Keeps a whole output in a file that only its user can read, and returns the path. */
export function spillOutput({ name, text, directory, secrets }: SpilledOutput): string {
  const folder = directory ?? privateFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${name.replace(/[^\w-]/g, '_')}-${randomUUID()}.txt`);
  writeFileSync(file, secrets?.mask(text) ?? text, { mode: 0o600, flag: 'wx' });
  return file;
}

/** Where and for whom a folder is made; those of the process unless given. */
export interface FolderPlace {
  readonly temporary?: string;
  readonly uid?: number | undefined;
}

/**
 * The folder of one user for spilled outputs. The folder for temporary files is everyone's: a folder that someone else made there in advance is refused,
 * since its owner could read, remove or replace what is in it.
 */
export function privateFolder({ temporary = tmpdir(), uid = process.getuid?.() }: FolderPlace = {}): string {
  const folder = join(temporary, uid === undefined ? 'fullstop' : `fullstop-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Windows has a folder for temporary files of each user.
  if (uid === undefined) return folder;
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid) {
    const owner = found.isDirectory() ? `belongs to user ${found.uid}` : 'is no folder';
    throw new StepProblem(
      'ExecutionError',
      `A long output cannot be kept: ${folder} ${owner}, and must be a folder of user ${uid}. Remove it, or name a folder of yours (spill_dir, spillDirectory).`,
      { code: 'SPILL_FOLDER_FOREIGN' },
    );
  }
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}
