import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from './any-termination.fixture.js';
import type { Ending } from './ending.js';
import { equals } from './equals.js';
import { isObject } from './json.js';
import { terminations } from './terminations.js';

/** The same value with the keys of all its objects in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe('equals', () => {
  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(arbitraryTermination, (termination) => {
        expect(equals(termination, reversed(termination) as Ending)).toBe(true);
      }),
    );
  });

  it('is true for what the wire form cannot distinguish, and for nothing else', () => {
    fc.assert(
      fc.property(arbitraryTermination, arbitraryTermination, (one, other) => {
        const read = (value: Ending): unknown => JSON.parse(JSON.stringify(value));
        const sorted = (value: unknown): string =>
          JSON.stringify(value, (_, member: unknown) =>
            isObject(member)
              ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
              : member,
          );
        expect(equals(one, read(one) as Ending)).toBe(true);
        expect(equals(one, other)).toBe(sorted(read(one)) === sorted(read(other)));
      }),
    );
  });

  it('distinguishes values, kinds, lists of another order or length, and fields that only one side has', () => {
    const ending = terminations.criteriaMet({ criteria: ['a', 'b'] });
    expect(equals(ending, terminations.criteriaMet({ criteria: ['b', 'a'] }))).toBe(false);
    expect(equals(ending, terminations.criteriaMet({ criteria: ['a'] }))).toBe(false);
    expect(equals(ending, terminations.criteriaUnmet({ criteria: ['a', 'b'] }))).toBe(false);
    expect(equals(terminations.skipped(), terminations.skipped({ reason: 'later' }))).toBe(false);
    expect(equals(terminations.skipped({ reason: 'later' }), terminations.skipped())).toBe(false);
    const properties = (value: object) => ({ kind: 'custom', properties: value }) as Ending;
    expect(equals(properties([]), properties({}))).toBe(false);
    expect(equals(properties({ toString: 1 }), properties({ other: 1 }))).toBe(false);
    expect(equals(properties({ a: null }), properties({ a: {} }))).toBe(false);
  });

  it('takes a field that is undefined for one that is left out', () => {
    expect(equals({ kind: 'skipped', reason: undefined } as Ending, { kind: 'skipped' })).toBe(true);
    expect(equals({ kind: 'skipped' }, { kind: 'skipped', reason: undefined } as Ending)).toBe(true);
  });

  it('compares chains that are deeper than the stack, and ends on circles', () => {
    const chain = (depth: number, last: string): Ending => {
      let ending: Ending = { kind: last };
      for (let level = 0; level < depth; level += 1) ending = { kind: 'child_failed', termination: ending } as Ending;
      return ending;
    };
    expect(equals(chain(200_000, 'natural_end'), chain(200_000, 'natural_end'))).toBe(true);
    expect(equals(chain(200_000, 'natural_end'), chain(200_000, 'skipped'))).toBe(false);
    const circle = (): Ending => {
      const ending: { kind: string; termination?: unknown } = { kind: 'child_failed' };
      ending.termination = ending;
      return ending as Ending;
    };
    expect(equals(circle(), circle())).toBe(true);
  });
});
