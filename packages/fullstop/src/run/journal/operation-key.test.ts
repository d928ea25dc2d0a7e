import fc from 'fast-check';
import { expect, test } from 'vitest';
import { confirmationId, idempotencyKey, noticeId, operationId, requestKey } from './operation-key.js';

test('say what they are about', () => {
  expect(requestKey('a/b#2')).toBe('request:a/b#2');
  expect(confirmationId({ scope: '', ordinal: 3, key: 'pay' })).toBe('confirm:pay@3');
  expect(confirmationId({ scope: 'a/b', ordinal: 3, key: 'pay' })).toBe('confirm:a/b/pay@3');
  expect(idempotencyKey({ runId: 'r', scope: 'a', ordinal: 3, key: 'pay' })).toBe('r:a:3:pay');
  expect(noticeId('r', 2, 'hook')).toBe('r:2:hook');
});

test('two operations of a run never have one id, whatever their scopes are called', () => {
  const place = fc.record({
    scope: fc.string({ unit: fc.constantFrom('a', ':', '1', '/') }),
    ordinal: fc.integer({ min: -1, max: 20 }),
  });
  fc.assert(
    fc.property(place, place, (left, right) => {
      const isSame = left.scope === right.scope && left.ordinal === right.ordinal;
      expect(operationId(left) === operationId(right)).toBe(isSame);
    }),
  );
});
