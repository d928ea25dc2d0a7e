import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { root } from '../../scripts/published-packages.js';

/** Compiles the SQLite engine, because its thread starts from a JavaScript file only. */
export async function buildEngine(): Promise<typeof sqliteEngine> {
  const outdir = join(root, '.cache', 'conformance');
  mkdirSync(outdir, { recursive: true });
  const folder = join(root, 'packages/fullstop/src/engines/sqlite');
  await build({
    entryPoints: [join(folder, 'sqlite-engine.ts'), join(folder, 'store-thread.ts')],
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['libsql'],
    logLevel: 'error',
  });
  const module = (await import(pathToFileURL(join(outdir, 'sqlite-engine.js')).href)) as {
    readonly sqliteEngine: typeof sqliteEngine;
  };
  return module.sqliteEngine;
}
