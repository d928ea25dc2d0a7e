import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../../../.cache/promtool');
const unpacked = join(folder, 'usr/bin/promtool');

/** The path of a `promtool`: named by the environment, installed, or fetched from the distribution's archive; else why not. */
export function findPromtool(): { readonly path: string } | { readonly missing: string } {
  for (const path of [process.env['PROMTOOL'] ?? '', 'promtool', unpacked]) if (answers(path)) return { path };
  try {
    mkdirSync(folder, { recursive: true });
    run('apt-get', ['download', 'prometheus']);
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
    run('dpkg-deb', ['-x', archive, '.']);
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
  return answers(unpacked) ? { path: unpacked } : { missing: 'the archive has no promtool for this machine' };
}

function answers(path: string): boolean {
  if (path === '' || (path.includes('/') && !existsSync(path))) return false;
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { cwd: folder, stdio: 'ignore', timeout: 60_000 });
}
