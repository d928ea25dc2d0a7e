import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../scripts/published-packages.js';

/** Bundles the worker, so that a process is up within a tenth of a second and can be killed often. */
export async function buildWorker(): Promise<string> {
  const outdir = join(root, '.cache', 'chaos');
  mkdirSync(outdir, { recursive: true });
  await build({
    entryPoints: {
      worker: join(root, 'tests/chaos/worker.ts'),
      'store-thread': join(root, 'packages/fullstop/src/engines/sqlite/store-thread.ts'),
    },
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['libsql'],
    outExtension: { '.js': '.js' },
    logLevel: 'error',
  });
  return join(outdir, 'worker.js');
}
