import { expect, test } from 'vitest';
import { chaosSeed } from './seed.js';
import { workflowChaos } from './workflow-chaos.js';

test('workflows keep their laws while the processes that run them are killed 40 times', async () => {
  const seed = chaosSeed('workflow chaos');
  const result = await workflowChaos({ seed, kills: 40, runs: 12 });
  console.log(JSON.stringify(result));
  expect(result.kills).toBeGreaterThanOrEqual(40);
  expect(result.runs).toBeGreaterThan(5);
  expect(result.scripts).toBeGreaterThan(30);
  expect(result.repeated).toBeGreaterThan(0);
  expect(result.gates).toBeGreaterThan(10);
});
