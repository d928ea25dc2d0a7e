import { expect, it } from 'vitest';
import { receiveCancel } from './cancel-receipt.js';

it.each([
  ['ready', 'requested'],
  ['running', 'requested'],
  ['parked', 'requested'],
  ['ended', 'ended'],
  [undefined, 'unknown'],
] as const)('a wish to cancel a run that is %s is %s', (state, receipt) => {
  expect(receiveCancel(state)).toBe(receipt);
});
