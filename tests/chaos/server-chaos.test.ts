import { expect, test } from 'vitest';
import { missingOwnServer } from '../postgres/cluster.js';
import { chaosSeed } from './seed.js';
import { disturbances, planDisturbances } from './server/disturbances.js';
import { serverChaos } from './server/server-chaos.js';

const missing = missingOwnServer();
if (missing !== undefined) {
  if (process.env['REQUIRE_ENGINES'] === '1') throw new Error(missing);
  console.error(`\nSKIPPED: chaos on Postgres. ${missing}\n`);
}

test.skipIf(missing !== undefined)(
  'runs on Postgres keep their laws while workers are killed, frozen and cut off, and the server is killed',
  async () => {
    const seed = chaosSeed('chaos on Postgres');
    const result = await serverChaos({ engine: 'postgres', seed, kills: 12, runs: 30, workers: 2 });
    console.log(JSON.stringify(result));
    expect(Object.values(result.disturbances).reduce((sum, count) => sum + count)).toBe(12);
    expect(result.versions).toBe(result.disturbances.deploy + 1);
    expect(Math.min(...Object.values(result.disturbances))).toBeGreaterThan(0);
    expect(result.runs).toBeGreaterThanOrEqual(30);
    expect(result.fenced).toBeGreaterThan(0);
    expect(result.results).toBeGreaterThan(0);
  },
);

test.skipIf(missing !== undefined)(
  'runs on DBOS keep them too, and those of an old version wait for a worker that has it',
  async () => {
    const seed = chaosSeed('chaos on DBOS');
    // One of each: the deploy alone takes half of the time.
    const kills = Object.keys(disturbances).length;
    const result = await serverChaos({ engine: 'dbos', seed, kills, runs: 20, workers: 2 });
    console.log(JSON.stringify(result));
    expect(new Set(Object.values(result.disturbances))).toEqual(new Set([1]));
    expect(result.versions).toBe(2);
    expect(result.runs).toBeGreaterThanOrEqual(20);
    expect(result.results).toBeGreaterThan(0);
  },
);

test('a short plan has every disturbance', () => {
  expect(new Set(planDisturbances(Object.keys(disturbances).length, () => 0))).toEqual(
    new Set(Object.keys(disturbances)),
  );
});
