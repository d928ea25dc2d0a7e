import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frozen, frozenCopy } from './frozen.js';

const isFrozenAllThrough = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozenAllThrough));

describe('frozen values', () => {
  it('are the same JSON, and cannot be changed at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const copy = frozenCopy(value);
        expect(JSON.stringify(copy)).toBe(text);
        expect(isFrozenAllThrough(copy)).toBe(true);
        expect(isFrozenAllThrough(frozen(JSON.parse(text)))).toBe(true);
        expect(frozen(copy)).toBe(copy);
      }),
    );
  });

  it('have nothing in common with what they were made of', () => {
    const own = { list: [{ n: 1 }] };
    const copy = frozenCopy(own);
    own.list[0] = { n: 2 };
    own.list.push({ n: 3 });
    expect(copy).toEqual({ list: [{ n: 1 }] });
    const half = Object.freeze({ list: [1] });
    expect(isFrozenAllThrough(frozenCopy(half))).toBe(true);
    expect(Object.isFrozen(half.list)).toBe(false);
  });

  it('keep a key named __proto__ as a key', () => {
    const copy = frozenCopy(JSON.parse('{"__proto__":{"a":1}}'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('leave what is no JSON alone', () => {
    const date = new Date(0);
    expect(frozenCopy(date)).toBe(date);
  });
});
