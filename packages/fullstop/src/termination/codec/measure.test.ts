import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, defaultLimits, firstNonJson, fitsBytes, measure, shortPath } from './measure.js';

const roomy = { depth: 1_000, bytes: Number.POSITIVE_INFINITY };

describe('measure', () => {
  it('never finds a JSON value larger than it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(measure(value, { depth: 1_000, bytes: JSON.stringify(value).length })).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it('counts plain text exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]*$/), { minLength: 1 }), (value) => {
        const written = JSON.stringify(value).length;
        expect(measure(value, { depth: 2, bytes: written })).toBeUndefined();
        expect(measure(value, { depth: 2, bytes: written - 1 })).toBe('size');
      }),
    );
  });

  it('counts levels of objects and lists', () => {
    expect(measure('x', { depth: 0, bytes: 100 })).toBeUndefined();
    expect(measure({ a: [1, { b: 2 }], c: [] }, { depth: 3, bytes: 100 })).toBeUndefined();
    expect(measure({ a: [1, { b: 2 }], c: [] }, { depth: 2, bytes: 100 })).toBe('depth');
  });

  it('agrees with firstNonJson about what is JSON', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
        expect(measure(value, roomy) === 'not_json').toBe(firstNonJson(value) !== undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes objects and lists of another realm for plain ones, but not their instances', () => {
    expect(measure(runInNewContext('({ a: [1, { b: null }] })'), defaultLimits)).toBeUndefined();
    expect(measure(runInNewContext('({ a: new Date() })'), defaultLimits)).toBe('not_json');
    expect(measure(runInNewContext('class L extends Array {}; [new L()]'), defaultLimits)).toBe('not_json');
  });
});

describe('firstNonJson', () => {
  it('is content with every JSON value', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => firstNonJson(value) === undefined));
  });

  it('returns the path of the first problem', () => {
    const found = firstNonJson({ a: [{ b: 1 }, { c: { d: [[Number.NaN]] } }], e: 5n });
    expect(found).toEqual({
      code: 'invalid',
      path: 'a[1].c.d[0][0]',
      message: 'expected a JSON value, found NaN',
    });
    expect(firstNonJson(undefined)).toEqual({
      code: 'invalid',
      path: '',
      message: 'expected a JSON value, found nothing',
    });
  });

  it('skips members that are undefined, as JSON does, but not elements', () => {
    expect(firstNonJson({ a: undefined, b: 1 })).toBeUndefined();
    expect(firstNonJson({ a: [1, undefined] })).toMatchObject({ path: 'a[1]' });
    expect(firstNonJson({ a: undefined, b: [5n] })).toMatchObject({ path: 'b[0]' });
  });

  it('visits shared parts once, so that neither circles nor doubling hold it up', () => {
    let doubled: unknown = { leaf: 1 };
    for (let level = 0; level < 1_000; level += 1) doubled = [doubled, doubled];
    const circle: unknown[] = [doubled];
    circle.push(circle);
    expect(firstNonJson(circle)).toBeUndefined();
    circle.push(5n);
    expect(firstNonJson(circle)).toMatchObject({ path: '[2]' });
  });

  it('looks deeper than the stack is high', () => {
    let deep: unknown = { core: Symbol('s') };
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(firstNonJson(deep)).toMatchObject({ path: expect.stringMatching(/^(?:\[0\]){30}.*…/) });
    expect(firstNonJson(deep)?.path).toMatch(/\.core$/);
  });

  it('names an instance of a class without a name', () => {
    expect(firstNonJson(new (class {})())).toMatchObject({
      message: 'expected a JSON value, found an instance of a class',
    });
    expect(firstNonJson(Object.create({ own: 1 }))).toMatchObject({
      message: expect.stringContaining('an instance of Object'),
    });
  });
});

describe('sizes in bytes', () => {
  it('are those of UTF-8', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        (text) => byteLength(text) === new TextEncoder().encode(text).length,
      ),
    );
    expect(['a', 'é', '語', '😀'].map(byteLength)).toEqual([1, 2, 3, 4]);
  });

  it('decide exactly at the limit', () => {
    for (const text of ['aaaa', 'éé', '語a', '😀']) {
      expect(fitsBytes(text, 4)).toBe(true);
      expect(fitsBytes(text, 3)).toBe(false);
    }
  });
});

describe('shortPath', () => {
  it('keeps both ends of a path that is too long for a message', () => {
    expect(shortPath('a.b[0]')).toBe('a.b[0]');
    expect(shortPath(`start.${'x'.repeat(1_000)}.end`)).toMatch(/^start\.x{94}…x{196}\.end$/);
  });
});
