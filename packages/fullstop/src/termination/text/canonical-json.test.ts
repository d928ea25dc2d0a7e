import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.js';

describe('canonicalJson', () => {
  it('does not depend on the order of keys, at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is JSON with the same meaning', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps the order of lists, which means something', () => {
    expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
  });

  it('leaves out what JSON leaves out', () => {
    expect(canonicalJson({ b: undefined, a: Number.NaN })).toBe('{"a":null}');
    expect(canonicalJson(undefined)).toBe('null');
  });

  it('survives arguments that are nested deeper than the stack', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(canonicalJson(deep)).toHaveLength(403);
  });

  it('goes as deep as it is asked to', () => {
    expect(canonicalJson([[1]], 1)).toBe('["…"]');
    let deep: unknown = 'bottom';
    for (let level = 0; level < 300; level += 1) deep = [deep];
    expect(canonicalJson(deep, Number.POSITIVE_INFINITY)).toBe(JSON.stringify(deep));
  });
});

/** The same value with the keys of every object in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, reversed(member)]));
}
