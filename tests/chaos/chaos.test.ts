import { expect, test } from 'vitest';
import { chaos } from './chaos.js';

test('runs keep their laws while their workers are killed 300 times', async () => {
  const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 1e9));
  console.log(`chaos seed: ${seed} (CHAOS_SEED sets it)`);
  const result = await chaos({ seed, kills: 300 });
  console.log(JSON.stringify(result));
  expect(result.kills).toBeGreaterThanOrEqual(300);
  expect(result.runs).toBeGreaterThan(100);
  expect(result.repeated).toBeGreaterThan(0);
});
