/** Installs the frameworks that the tests of adapters need into a cache; a set whose lock file is unchanged is left alone. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './load-framework.js';
import { type FrameworkSet, setsOf } from './sets.js';

const files = ['package.json', 'package-lock.json', '.npmrc'];

/** Installs one set, unless it is there already. `timeout` ends an npm that hangs, after so many milliseconds. */
export async function installSet(set: FrameworkSet, timeout = 0): Promise<void> {
  const source = join(import.meta.dirname, 'sets', set);
  const target = join(cacheFolder, set);
  const lock = readFileSync(join(source, 'package-lock.json'), 'utf8');
  const mark = join(target, 'installed-lock.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  mkdirSync(target, { recursive: true });
  for (const file of files) cpSync(join(source, file), join(target, file));
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: target, timeout });
  writeFileSync(mark, lock);
}

/** Before the tests: the usual sets, or all of them. */
export async function setup(): Promise<void> {
  const suite = process.env['FULLSTOP_ADAPTERS'] === 'all' ? 'all' : 'usual';
  // One after the other: they share a network and a cache.
  for (const set of setsOf(suite)) await installSet(set);
}
