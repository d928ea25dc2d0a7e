import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  attemptScope,
  escapeUnitName,
  hasNoSeparator,
  isUnitName,
  isWithin,
  lastPart,
  makePart,
  makeScope,
  parentScope,
  parsePart,
  parseScope,
  undoScope,
  withoutAttempt,
  withoutMarks,
} from './scope-path.js';

/** Names with the separators in them, in any place that a unit may have them. */
const anyText = fc.string({ unit: fc.constantFrom('a', 'b', '1', '2', '#', '~', '/', '%', '.', ':', '\n', 'é') });
const unitName = anyText.filter((name) => name !== '' && isUnitName(name));
const count = fc.integer({ min: 1, max: 120 });
const part = fc.record({ name: unitName, visit: count, attempt: count });

describe('a part of a scope', () => {
  test('is read as it was made', () => {
    fc.assert(fc.property(part, (made) => void expect(parsePart(makePart(made))).toEqual(made)));
  });

  test('has marks from the second visit and attempt on', () => {
    expect(makePart({ name: 'classify' })).toBe('classify');
    expect(makePart({ name: 'classify', visit: 2 })).toBe('classify#2');
    expect(makePart({ name: 'classify', visit: 2, attempt: 3 })).toBe('classify#2~3');
    expect(parsePart('a~b#c')).toEqual({ name: 'a~b#c', visit: 1, attempt: 1 });
    expect(parsePart('classify#1')).toEqual({ name: 'classify#1', visit: 1, attempt: 1 });
    expect(parsePart('classify#2~undo')).toEqual({ name: 'classify', visit: 2, attempt: 1 });
  });

  test.each(['a/b', 'a#2', 'a~2', 'a#0', 'a~undo', 'a~undone'])('cannot be named %s', (name) => {
    expect(isUnitName(name)).toBe(false);
  });

  test.each(['a', 'a.b', 'a#b', 'a~b', '#', 'a 2', 'a[2]'])('can be named %s', (name) => {
    expect(isUnitName(name)).toBe(true);
  });

  test('is distinguished from all others when a foreign text is its name', () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        expect(hasNoSeparator(escapeUnitName(left))).toBe(true);
        expect(decodeURIComponent(escapeUnitName(left))).toBe(left);
        expect(escapeUnitName(left) === escapeUnitName(right)).toBe(left === right);
      }),
    );
  });
});

describe('a scope', () => {
  const parts = fc.array(part.map(makePart), { maxLength: 5 });
  const scopeOf = (list: readonly string[]): string => list.reduce(makeScope, '');

  test('is read as it was made', () => {
    fc.assert(fc.property(parts, (list) => void expect(parseScope(scopeOf(list))).toEqual(list)));
  });

  test('has a parent and a last part', () => {
    fc.assert(
      fc.property(parts, part.map(makePart), (list, last) => {
        const scope = makeScope(scopeOf(list), last);
        expect([parentScope(scope), lastPart(scope)]).toEqual([scopeOf(list), last]);
      }),
    );
    expect([parentScope(''), lastPart('')]).toEqual(['', '']);
  });

  test('lies within itself and everything around it, and within nothing else', () => {
    fc.assert(
      fc.property(parts, parts, (left, right) => {
        const isPrefix = right.every((each, index) => left[index] === each);
        expect(isWithin(scopeOf(left), scopeOf(right))).toBe(isPrefix);
      }),
    );
    expect(isWithin('ab/c', 'a')).toBe(false);
  });

  test('of a later attempt leads back to the first', () => {
    fc.assert(
      fc.property(parts, unitName, count, count, (list, name, visit, attempt) => {
        const first = makeScope(scopeOf(list), makePart({ name, visit }));
        expect(withoutAttempt(attemptScope(first, attempt))).toBe(first);
      }),
    );
  });

  test('says the names of its units without their marks', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (list) => {
        expect(withoutMarks(scopeOf(list.map((each) => makePart(each))))).toBe(list.map(({ name }) => name).join('/'));
      }),
    );
  });

  test('of an undo lies beside its unit, and names it', () => {
    expect(undoScope('a/b#2', 'refund')).toBe('a/b#2~undo/refund');
    expect(isWithin(undoScope('a', 'refund'), 'a')).toBe(false);
    expect(parsePart(parseScope(undoScope('a', 'refund'))[0] ?? '').name).toBe('a');
  });
});
