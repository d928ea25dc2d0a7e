import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runInstall } from './run-install.js';

const node = (script: string) => [process.execPath, '-e', script] as const;
const install = { name: 'a set', folder: tmpdir(), limitMs: 600_000 };

test('an install that never comes to an end is given up, with words for what to do', async () => {
  const command = node('setInterval(() => {}, 1000)');
  await expect(runInstall({ ...install, limitMs: 100, command })).rejects.toThrow(
    /^Installing a set into .* was not through after 0\.1 s\. It needs the npm registry; try ".*" in that folder\./,
  );
});

test('an install that asks something gets no answer and ends', async () => {
  await runInstall({ ...install, command: node('process.stdin.resume()') });
});

test('an install that fails says what it printed', async () => {
  const command = node('console.error("no such version"); process.exit(1)');
  await expect(runInstall({ ...install, command })).rejects.toThrow('no such version');
});
