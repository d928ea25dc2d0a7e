import { expect, it } from 'vitest';
import { isConsumed } from './consumption.js';

const answer = { type: 'answer', requestId: 'a', answer: { decision: 'approve' }, at: 1 } as const;
const cancel = { type: 'cancel', request: { by: 'caller' }, at: 1 } as const;

it('uses up the answer to its request, or every wish to cancel', () => {
  expect(isConsumed(answer, { type: 'answer', requestId: 'a' })).toBe(true);
  expect(isConsumed(answer, { type: 'answer', requestId: 'b' })).toBe(false);
  expect(isConsumed(cancel, { type: 'answer', requestId: 'a' })).toBe(false);
  expect(isConsumed(cancel, { type: 'cancel' })).toBe(true);
  expect(isConsumed(answer, { type: 'cancel' })).toBe(false);
});
