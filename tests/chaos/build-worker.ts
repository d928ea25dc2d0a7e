import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../scripts/published-packages.js';

/** Bundles a worker or another program, so that a process is up within a tenth of a second and can be killed often. */
export async function buildWorker(source = 'tests/chaos/worker.ts'): Promise<string> {
  const name = basename(source, '.ts');
  const outdir = join(root, '.cache', 'workers', name);
  mkdirSync(outdir, { recursive: true });
  await build({
    entryPoints: {
      [name]: join(root, source),
      'store-thread': join(root, 'packages/fullstop/src/engines/sqlite/store-thread.ts'),
    },
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@dbos-inc/dbos-sdk', 'libsql', 'pg'],
    outExtension: { '.js': '.js' },
    logLevel: 'error',
  });
  return join(outdir, `${name}.js`);
}
