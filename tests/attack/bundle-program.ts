import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../scripts/published-packages.js';

/** Bundles a program of an attack, so that a process is up within a tenth of a second. */
export async function bundleProgram(source: string): Promise<string> {
  const outdir = join(root, '.cache', 'attack');
  mkdirSync(outdir, { recursive: true });
  await build({
    entryPoints: {
      program: join(root, source),
      'store-thread': join(root, 'packages/fullstop/src/engines/sqlite/store-thread.ts'),
    },
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['libsql'],
    logLevel: 'error',
  });
  return join(outdir, 'program.js');
}
