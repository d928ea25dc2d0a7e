import { expect, it } from 'vitest';
import { isReadToDeath } from './read-deaths.js';

it('leaves the ending of a crash loop to its owner, and gives up on a run that nobody lives to read', () => {
  expect([0, 5, 9, 10, 11].map(isReadToDeath)).toEqual([false, false, false, true, true]);
});
