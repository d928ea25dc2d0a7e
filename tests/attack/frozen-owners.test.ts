import { expect, test } from 'vitest';
import { checkOrder, type FrozenLine } from './frozen-owners.js';

const effect = { runId: 'r', key: 'mail', isOnce: false, sinceCheckMs: 0 };
const lines: readonly FrozenLine[] = ['a-1', 'a-1', 'b-1'].map((execution) => ({ ...effect, execution }));

test.each([null, 0, 59])(
  'an effect of an execution that was taken over is found, %s ms after its check',
  (sinceCheckMs) => {
    expect(checkOrder(lines)).toBe(1);
    expect(() => checkOrder([...lines, { ...effect, execution: 'a-1', sinceCheckMs }])).toThrow(
      'a-1 began mail of r after b-1',
    );
  },
);

test('an effect that was frozen between its check and its first instruction is not held against its execution', () => {
  expect(checkOrder([...lines, { ...effect, execution: 'a-1', sinceCheckMs: 700 }])).toBe(1);
});
