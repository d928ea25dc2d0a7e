import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect } from 'vitest';

// fast-check says its seed when a property fails, but not when it hangs until the test is given up: then we do.
const { testPath } = expect.getState();
// Loading it for every file would cost more than most files do.
if (testPath !== undefined && isRandom(testPath)) {
  const { default: fc } = await import('fast-check');
  const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  fc.configureGlobal({ seed });
  beforeEach(({ onTestFailed }) => {
    onTestFailed(({ task }) => {
      console.error(`${task.name}: the seed of its properties was ${seed} (FC_SEED sets it)`);
    });
  });
}

/** Whether a test has properties, in its own file or in a fixture that it imports. */
function isRandom(path: string): boolean {
  const text = readFileSync(path, 'utf8');
  const fixtures = [...text.matchAll(/from '(\.[^']+\.fixture)\.js'/g)].map(([, name]) =>
    join(dirname(path), `${name}.ts`),
  );
  return [text, ...fixtures.map((fixture) => readFileSync(fixture, 'utf8'))].some((each) =>
    each.includes("'fast-check'"),
  );
}
