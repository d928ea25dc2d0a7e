import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { binary, type Finished, type Place } from './binary.js';

/** Takes the right to write away from everything in a folder, and from the folder. */
export function lockFolder(folder: string): void {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
  chmodSync(folder, 0o555);
}

/** Root may write everywhere; without this right it is held to the permissions of files like everyone. */
const withoutOverride = ['--bounding-set', '-dac_override', '--inh-caps', '-dac_override'];

/** Runs the program as someone whom the permissions of files hold, even if the tests run as root. */
export function runHeld(place: Place, args: readonly string[]): Finished {
  const isRoot = process.getuid?.() === 0;
  const command = isRoot
    ? ['setpriv', ...withoutOverride, process.execPath, binary, ...args]
    : [process.execPath, binary, ...args];
  const { status, stdout, stderr } = spawnSync(command[0] as string, command.slice(1), {
    cwd: place.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: place.folder, USER: 'tester', LANG: 'C.UTF-8' },
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}
