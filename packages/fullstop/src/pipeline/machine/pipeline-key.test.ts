import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeUsingKey, makeWhenKey, parseUsingKey, stageKey } from './pipeline-key.js';

test('the key of what a stage uses is read as it was made', () => {
  fc.assert(fc.property(fc.string(), (name) => void expect(parseUsingKey(makeUsingKey(name))).toBe(name)));
  expect([stageKey, makeWhenKey('failed'), 'using'].map(parseUsingKey)).toEqual([undefined, undefined, undefined]);
});
