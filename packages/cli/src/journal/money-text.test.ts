import { expect, it } from 'vitest';
import { dollars } from './number-text.js';
import { shortCost } from './value-text.js';

it('marks an amount that was guessed', () => {
  expect([shortCost(0.02, true), shortCost(12.4, true), shortCost(0.02)]).toEqual(['~$0.02', '~$12.40', '$0.02']);
  expect([dollars(0.02, true), dollars(0.002, true), dollars(2.5)]).toEqual(['~$0.02', '~$0.002', '$2.50']);
});

it('does not mark what is nothing or not known', () => {
  expect([shortCost(0, true), shortCost(null, true), shortCost(undefined, true)]).toEqual(['$0', '?', '']);
});
