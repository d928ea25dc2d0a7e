/** `npm run chaos -- --kills 3000 --seed 7`: the same as the test, with as many kills as one likes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { currentCommit } from '../../scripts/current-commit.js';
import { root } from '../../scripts/published-packages.js';
import { chaos } from './chaos.js';

const { values } = parseArgs({
  options: { kills: { type: 'string' }, seed: { type: 'string' }, workers: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const kills = Number(values.kills ?? 3000);
console.log(`chaos: ${kills} kills, seed ${seed}`);

let shown = 0;
const result = await chaos({
  seed,
  kills,
  runs: Math.ceil(kills / 3),
  ...(values.workers !== undefined && { workers: Number(values.workers) }),
  onProgress: (done, runs) => {
    if (done < shown + 100) return;
    shown = done;
    console.log(`${done} kills, ${runs} runs`);
  },
});
const last = { commit: currentCommit(), date: new Date().toISOString(), ...result };
writeFileSync(join(root, 'tests/chaos/last-result.json'), `${JSON.stringify(last, undefined, 2)}\n`);
console.log(last);
