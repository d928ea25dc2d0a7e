/** `npm run attack -- --seed 7 --only bit-flips --count 5000`: the same attacks as in the tests, at length. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { currentCommit } from '../../scripts/current-commit.js';
import { root } from '../../scripts/published-packages.js';
import { attacks } from './attacks.js';

const { values } = parseArgs({
  options: { count: { type: 'string' }, only: { type: 'string' }, seed: { type: 'string' } },
});
const chosen = attacks.filter(({ name }) => values.only === undefined || values.only === name);
if (chosen.length === 0) {
  console.error(`No attack named ${values.only}; there are ${attacks.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const file = join(root, 'tests/attack/last-result.json');
const results = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
for (const { name, of, long, perform } of chosen) {
  const count = Number(values.count ?? long);
  console.log(`\n== ${name}: ${count} ${of}, seed ${seed}`);
  let shown = 0;
  const { counts, failures } = await perform({
    seed,
    count,
    onProgress: (done) => {
      if (done < shown + count / 10) return;
      shown = done;
      console.log(`${done} ${of}`);
    },
  });
  results[name] = { commit: currentCommit(), date: new Date().toISOString(), seed, count, ...counts, failures };
  console.log(results[name]);
  if (failures.length > 0) process.exitCode = 1;
  // After each, so that one that is given up costs only itself.
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}
