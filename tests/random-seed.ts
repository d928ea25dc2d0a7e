import { readFileSync } from 'node:fs';
import { beforeEach, expect } from 'vitest';

// fast-check says its seed when a property fails, but not when it hangs until the test is given up: then we do.
const { testPath } = expect.getState();
// Loading it for every file would cost more than most files do.
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes("'fast-check'")) {
  const { default: fc } = await import('fast-check');
  const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  fc.configureGlobal({ seed });
  beforeEach(({ onTestFailed }) => {
    onTestFailed(({ task }) => {
      console.error(`${task.name}: the seed of its properties was ${seed} (FC_SEED sets it)`);
    });
  });
}
