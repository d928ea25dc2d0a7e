import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { UsageError } from '../command-line/usage-error.js';

/** A configuration that is a program, and that is not executed for what was found about it. */
export class ConfigRefused extends UsageError {
  constructor(file: string, found: string, todo: string) {
    super(
      `${file} is not executed: ${found}. ${todo}, or write it as fullstop.config.json or fullstop.config.yaml, which execute nothing.`,
    );
    this.name = 'ConfigRefused';
  }
}

/**
 * The folder of the project that someone works in: the nearest one at or above theirs that is a repository, else the
 * nearest with a `package.json`, else theirs alone.
 */
export function projectRoot(cwd: string): string {
  return nearestWith(cwd, ['.git', '.hg', '.jj', '.svn']) ?? nearestWith(cwd, ['package.json']) ?? cwd;
}

function nearestWith(cwd: string, names: readonly string[]): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

export interface TrustQuestion {
  readonly file: string;
  /** The folder that it must be in; undefined when someone has named the file. */
  readonly root: string | undefined;
  /** Who executes it; undefined where the system knows no owners. */
  readonly user: number | undefined;
}

const writableByOthers = 0o022;

/** Throws unless a program is one that only this user can have written. */
export function refuseUntrusted({ file, root, user }: TrustQuestion): void {
  const real = realpathSync(file);
  if (root !== undefined && !isBelow(real, realpathSync(root)))
    throw new ConfigRefused(
      file,
      `it leads to ${real}, outside of the project ${root}`,
      'Name that file with --config',
    );
  const { uid, mode } = statSync(real);
  if (user === undefined) return;
  if (uid !== user)
    throw new ConfigRefused(
      file,
      `it belongs to the user ${uid}, and you are ${user}`,
      `Look at it, then chown ${user} ${real}`,
    );
  if ((mode & writableByOthers) !== 0)
    throw new ConfigRefused(
      file,
      `others may write to it (mode ${(mode & 0o777).toString(8)})`,
      `Look at it, then chmod go-w ${real}`,
    );
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
