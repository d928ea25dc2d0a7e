import { expect, test } from 'vitest';
import type { LogLine } from './effect-log.js';
import { checkEffects } from './verify.js';

const stored = new Map([['place', 'second']]);
const executed = (by: string, entries: number): LogLine => ({
  type: 'executed',
  runId: 'run',
  version: '1',
  by,
  entries,
});
const effect = (id: string, by?: string): LogLine => ({
  type: 'effect',
  place: 'place',
  id,
  ...(by !== undefined && { by }),
});

test('the outcome in the journal is that of the last execution', () => {
  expect(checkEffects([effect('first'), effect('second')], stored)).toBeUndefined();
});

test.each([
  ['by nobody knows whom', [effect('second'), effect('third')]],
  ['by the same owner', [executed('a', 1), effect('second', 'a'), effect('third', 'a')]],
  ['by one who has read it', [executed('a', 1), effect('second', 'a'), executed('b', 2), effect('third', 'b')]],
])('what is in the journal is not performed again %s', (_, lines) => {
  expect(() => checkEffects(lines, stored)).toThrow('place was performed again as third');
});

test('whoever had the run before and lost it may perform again what the next one has done', () => {
  const lines = [executed('a', 1), executed('b', 1), effect('second', 'b'), effect('third', 'a')];
  expect(checkEffects(lines, stored)).toBeUndefined();
});

test('an outcome that nobody performed is none', () => {
  expect(() => checkEffects([effect('first')], stored)).toThrow('nobody performed second');
});
