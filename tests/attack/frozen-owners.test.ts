import { expect, test } from 'vitest';
import { chaosSeed } from '../chaos/seed.js';
import { checkOrder, frozenOwners } from './frozen-owners.js';

test.each([
  ['while all clocks are right', false],
  ['while the wall clocks jump by an hour', true],
])(
  'a process that was frozen for longer than its lease begins nothing that is not its own any more, %s',
  async (_, jumps) => {
    const seed = chaosSeed('frozen owners');
    const result = await frozenOwners({ seed, freezes: 8, jumps });
    console.log(JSON.stringify(result));
    expect(result).toMatchObject({ freezes: 8 });
    expect(result.takeovers).toBeGreaterThan(0);
  },
);

test('an effect of an execution that was taken over is found', () => {
  const effect = { runId: 'r', key: 'mail', isOnce: false };
  const lines = ['a-1', 'a-1', 'b-1'].map((execution) => ({ ...effect, execution }));
  expect(checkOrder(lines)).toBe(1);
  expect(() => checkOrder([...lines, { ...effect, execution: 'a-1' }])).toThrow('a-1 began mail of r after b-1');
});
