import { expect, test } from 'vitest';
import { chaosSeed } from '../chaos/seed.js';
import { signalAttack } from './signals.js';

test('60 signals at random instants end in an exit code and an output that agree with the store', async () => {
  const result = await signalAttack({ seed: chaosSeed('signals'), signals: 60 });
  console.log(JSON.stringify(result));
  expect(result.before + result.cancelled + result.after).toBe(60);
});
