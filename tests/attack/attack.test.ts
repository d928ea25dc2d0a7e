import { expect, test } from 'vitest';
import { chaosSeed } from '../chaos/seed.js';
import { attacks } from './attacks.js';

test.each(attacks)('runs and stores keep their promises under $short $of', async ({ name, short, perform }) => {
  const seed = chaosSeed(name);
  const { counts, failures } = await perform({ seed, count: short });
  console.log(`${name}: ${JSON.stringify(counts)}`);
  expect(failures).toEqual([]);
});
