/** `npm run chaos -- --kills 3000 --seed 7 [--engine postgres --workers 4 --only deploy]`: the same as the tests, with as many kills as one likes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { currentCommit } from '../../scripts/current-commit.js';
import { root } from '../../scripts/published-packages.js';
import { chaos } from './chaos.js';
import { disturbances, isDisturbance } from './server/disturbances.js';
import { serverChaos } from './server/server-chaos.js';
import { isServerEngine, serverEngines } from './server/server-engines.js';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    kills: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
  },
});
const engine = values.engine ?? 'sqlite';
if (engine !== 'sqlite' && !isServerEngine(engine)) {
  console.error(`There is no engine ${engine}; it must be sqlite, ${Object.keys(serverEngines).join(' or ')}.`);
  process.exit(2);
}
const { only } = values;
if (only !== undefined && (engine === 'sqlite' || !isDisturbance(only))) {
  console.error(
    `--only takes ${Object.keys(disturbances).join(', ')}, with --engine ${Object.keys(serverEngines).join(' or ')}.`,
  );
  process.exit(2);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const kills = Number(values.kills ?? 3000);
console.log(`chaos on ${engine}: ${kills} kills, seed ${seed}`);

let shown = 0;
const options = {
  seed,
  kills,
  runs: Math.ceil(kills / 3),
  onProgress: (done: number, runs: number) => {
    if (done < shown + Math.min(100, Math.ceil(kills / 10))) return;
    shown = done;
    console.log(`${done} kills, ${runs} runs`);
  },
};
const workers = values.workers === undefined ? undefined : Number(values.workers);
const result = isServerEngine(engine)
  ? await serverChaos({ ...options, engine, workers: workers ?? 4, ...(only !== undefined && { only }) })
  : await chaos({ ...options, ...(workers !== undefined && { workers }) });
const last = { commit: currentCommit(), date: new Date().toISOString(), ...result };
const file = engine === 'sqlite' ? 'last-result.json' : `last-result-${engine}.json`;
writeFileSync(join(root, 'tests/chaos', file), `${JSON.stringify(last, undefined, 2)}\n`);
console.log(last);
