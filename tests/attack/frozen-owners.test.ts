import { expect, test } from 'vitest';
import { checkOrder } from './frozen-owners.js';

test('an effect of an execution that was taken over is found', () => {
  const effect = { runId: 'r', key: 'mail', isOnce: false };
  const lines = ['a-1', 'a-1', 'b-1'].map((execution) => ({ ...effect, execution }));
  expect(checkOrder(lines)).toBe(1);
  expect(() => checkOrder([...lines, { ...effect, execution: 'a-1' }])).toThrow('a-1 began mail of r after b-1');
});
