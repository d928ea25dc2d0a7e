import { expect, test } from 'vitest';
import { agentChaos } from './agent-chaos.js';
import { chaosSeed } from './seed.js';

test('agents keep their laws while their workers are killed 60 times', async () => {
  const seed = chaosSeed('agent chaos');
  const result = await agentChaos({ seed, kills: 60, runs: 16 });
  console.log(JSON.stringify(result));
  expect(result.kills).toBeGreaterThanOrEqual(60);
  expect(result.runs).toBeGreaterThan(12);
  expect(result.repeated).toBeGreaterThan(0);
  expect(result.approvals).toBeGreaterThan(10);
  expect(result.lostOutcomes).toBeGreaterThan(0);
});
