import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chainInput, chainStart, entryBytes, needsBlob, parseReference, referenceTo } from './entry-bytes.js';

const place = { segment: 1, seq: 2, scope: 'a/b', ordinal: 0, at: 1.5, type: 'recorded', key: 'k\n' };

it('is a head in one line and the data text as it is', () => {
  const [head = '', ...rest] = entryBytes('r"1', place, '{"ok":true,   "attempts":1}').split('\n');
  expect(JSON.parse(head)).toEqual(['r"1', 1, 2, 'a/b', 0, 1.5, 'recorded', 'k\n']);
  expect(rest).toEqual(['{"ok":true,   "attempts":1}']);
});

it('is the same for a key that is absent, undefined or null', () => {
  const { key: _key, ...rest } = place;
  expect(entryBytes('r', { ...rest, key: undefined }, '{}')).toBe(entryBytes('r', rest, '{}'));
  expect(entryBytes('r', { ...rest, key: null }, '{}')).toBe(entryBytes('r', rest, '{}'));
});

it('differs for entries that differ', () => {
  const text = fc.string({ maxLength: 5 });
  const entry = fc.tuple(text, text, text, fc.jsonValue({ maxDepth: 1 }));
  fc.assert(
    fc.property(entry, entry, (one, two) => {
      const [left, right] = [one, two].map(([runId, scope, key, data]) =>
        entryBytes(runId, { ...place, scope, key }, JSON.stringify(data)),
      );
      return (left === right) === (JSON.stringify(one) === JSON.stringify(two));
    }),
  );
});

it('begins with the hash before it', () => {
  expect(chainInput(chainStart, 'x')).toBe('x');
  expect(chainInput('abc', 'x')).toBe('abcx');
});

it('lets long texts spill, and those that look like a reference', () => {
  expect(needsBlob('x'.repeat(65_536))).toBe(false);
  expect(needsBlob('x'.repeat(65_537))).toBe(true);
  expect(needsBlob('blob:no')).toBe(true);
  expect(parseReference(referenceTo('abc'))).toBe('abc');
  expect(parseReference('{}')).toBeUndefined();
});
