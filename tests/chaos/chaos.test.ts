import { expect, test } from 'vitest';
import { chaos } from './chaos.js';
import { chaosSeed } from './seed.js';

test('runs keep their laws while their workers are killed 300 times', async () => {
  const seed = chaosSeed('chaos');
  const result = await chaos({ seed, kills: 300, runs: 120 });
  console.log(JSON.stringify(result));
  expect(result.kills).toBeGreaterThanOrEqual(300);
  expect(result.runs).toBeGreaterThan(100);
  expect(result.repeated).toBeGreaterThan(0);
});
