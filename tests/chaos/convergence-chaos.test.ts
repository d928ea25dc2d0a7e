import { expect, test } from 'vitest';
import { convergenceChaos } from './convergence-chaos.js';
import { chaosSeed } from './seed.js';

test('nothing passes a human gate unapproved while the workers are killed 40 times', async () => {
  const seed = chaosSeed('convergence chaos');
  const result = await convergenceChaos({ seed, kills: 40, runs: 16 });
  console.log(JSON.stringify(result));
  expect(result.kills).toBeGreaterThanOrEqual(40);
  expect(result.runs).toBeGreaterThan(5);
  expect(result.approved).toBeGreaterThan(0);
  expect(result.rejected).toBeGreaterThan(0);
  // Each run pauses at its prices and, where one was approved, at its payments.
  expect(result.pauses).toBeGreaterThan(result.runs);
});
