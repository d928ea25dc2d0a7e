import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { publishedPackages, root } from '../../scripts/published-packages.js';
import { execute } from './execute.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** An empty project with nothing but the packed packages installed. */
    project: string;
  }
}

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];

/** Packs every published package and installs the tarballs into an empty project, once for all packaging tests. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-packaging-'));
  const remove = (): void => rmSync(folder, { recursive: true });
  try {
    await packAndInstall(folder);
  } catch (error) {
    remove();
    throw error;
  }
  provide('project', folder);
  return remove;
}

async function packAndInstall(folder: string): Promise<void> {
  for (const published of publishedPackages()) {
    await execute('npm', ['pack', '--pack-destination', folder], published.folder);
  }
  const tarballs = readdirSync(folder).map((file) => join(folder, file));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  // The one peer without which an entry point cannot be loaded.
  const peer = `@opentelemetry/api@${devDependencies['@opentelemetry/api']}`;
  await execute('npm', ['install', ...quiet, ...tarballs, peer], folder);
}
