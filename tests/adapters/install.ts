/** Installs the frameworks that the tests of adapters need into a cache; a set whose lock file is unchanged is left alone. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './load-framework.js';
import { runInstall } from './run-install.js';
import { type FrameworkSet, setsOf } from './sets.js';

const files = ['package.json', 'package-lock.json', '.npmrc'];

/** The largest set takes a minute and a half on a busy machine. */
const usualLimitMs = 10 * 60_000;

/** Installs one set, unless it is there already. An npm that hangs is ended after so many milliseconds. */
export async function installSet(set: FrameworkSet, limitMs: number = usualLimitMs): Promise<void> {
  const source = join(import.meta.dirname, 'sets', set);
  const target = join(cacheFolder, set);
  const lock = readFileSync(join(source, 'package-lock.json'), 'utf8');
  const mark = join(target, 'installed-lock.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  mkdirSync(target, { recursive: true });
  for (const file of files) cpSync(join(source, file), join(target, file));
  console.warn(`Installing ${set}`);
  await runInstall({ name: set, folder: target, limitMs });
  writeFileSync(mark, lock);
}

/** Before the tests: the usual sets, or all of them. */
export async function setup(): Promise<void> {
  const suite = process.env['FULLSTOP_ADAPTERS'] === 'all' ? 'all' : 'usual';
  // One after the other: they share a network and a cache.
  for (const set of setsOf(suite)) await installSet(set);
}
