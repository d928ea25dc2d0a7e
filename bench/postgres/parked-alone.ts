import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** In a process of its own: what the others have left in memory must not count. */
export function benchParkedAlone(url: string): void {
  const program = fileURLToPath(new URL('parked.ts', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', program, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  // Printed here, so that it is kept with the rest.
  console.log(stdout.trimEnd());
  if (status !== 0) throw new Error(`The bench of parked runs ended with ${status}.`);
}
