import { describe, expect, it } from 'vitest';
import { copyJson } from './copy-json.js';

describe('copyJson', () => {
  it('gives a value of its own at every depth', () => {
    const value = { list: [{ a: 1 }, 'two'], member: { deep: { b: null } } };
    const copy = copyJson(value);
    expect(copy).toEqual(value);
    (copy.list[0] as { a: number }).a = 2;
    (copy.member.deep as { b: unknown }).b = 3;
    expect(value).toEqual({ list: [{ a: 1 }, 'two'], member: { deep: { b: null } } });
  });

  it('keeps a member named __proto__ as a member', () => {
    const text = '{"__proto__":{"isAdmin":true},"inner":{"__proto__":[1]}}';
    const copy = copyJson(JSON.parse(text) as object);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy).not.toHaveProperty('isAdmin');
    expect(JSON.stringify(copy)).toBe(text);
  });
});
