import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { StoreName } from './open-store.js';

const programs = {
  parked: new URL('parked.ts', import.meta.url),
  'take-over': new URL('take-over.ts', import.meta.url),
};

/** In a process of its own: what the others have left in memory must not count, and DBOS is one per process. */
export function benchAlone(program: keyof typeof programs, url: string, store: StoreName): void {
  const file = fileURLToPath(programs[program]);
  const { status, stdout } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', file, url, store], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  // Printed here, so that it is kept with the rest.
  console.log(stdout.trimEnd());
  if (status !== 0) throw new Error(`The bench ${program} ended with ${status}.`);
}
