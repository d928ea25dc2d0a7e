import { expect, it } from 'vitest';
import { hostileFiles } from '../attack/hostile-files.js';

it('files that are up to no good are refused or run, and nothing in them is obeyed', async () => {
  const seed = Number(process.env['FULLSTOP_ATTACK_SEED'] ?? Math.floor(Math.random() * 1e9));
  const { counts, failures } = await hostileFiles.perform({ seed, count: hostileFiles.short });
  console.log(`hostile files, seed ${seed}: ${JSON.stringify(counts)}`);
  expect(failures).toEqual([]);
});
