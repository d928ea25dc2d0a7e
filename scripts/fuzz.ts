/** `npm run fuzz -- --count 100000 --seed 7`: the same loops as in the tests, for as long as you like. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { currentCommit } from './current-commit.js';
import { root } from './published-packages.js';
import { runCommand } from './run-command.js';

const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
const count = Number(values.count ?? 100_000);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const source = 'packages/fullstop/src';
const loops = {
  files: `${source}/workflow/load/fuzz-load.test.ts`,
  templates: `${source}/template/fuzz-template.test.ts`,
};

const results: Record<string, 'passed' | 'failed'> = {};
process.env['FULLSTOP_FUZZ_COUNT'] = String(count);
process.env['FULLSTOP_FUZZ_SEED'] = String(seed);
for (const [name, file] of Object.entries(loops)) {
  console.log(`\n== ${count} ${name}, seed ${seed}`);
  results[name] = (await runCommand(['vitest', 'run', '--project', 'unit', file])) === 0 ? 'passed' : 'failed';
}
const last = { commit: currentCommit(), date: new Date().toISOString(), seed, count, ...results };
writeFileSync(join(root, 'tests/fuzz-result.json'), `${JSON.stringify(last, undefined, 2)}\n`);
console.log(last);
if (Object.values(results).includes('failed')) process.exitCode = 1;
