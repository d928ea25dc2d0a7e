import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../termination/text/canonical-json.js';
import { canonicalFingerprint, fingerprint, fingerprintOf } from './fingerprint.js';

describe('fingerprint', () => {
  it('is ten letters, the same on every machine', () => {
    expect(fingerprint('')).toMatch(/^[\w-]{10}$/);
    expect(fingerprint('a round of calls')).toBe('9DL47uKcus');
  });

  it('distinguishes many similar texts', () => {
    const texts = Array.from({ length: 200_000 }, (_, index) => `{"page":${index}}`);
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  });

  it('distinguishes texts that differ only in the order or the case of letters', () => {
    const texts = ['ab', 'ba', 'aB', 'Ba', 'abab', 'baba', '\u0000', '\u0000\u0000', 'ä', 'a\u0308'];
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  });
});

describe('fingerprint of a long text', () => {
  const filler = 'x'.repeat(16_380);

  it('depends on every letter, wherever it is', () => {
    const places = [0, 1, 7, 8, 255, 300, 16_382, 16_383, 16_384, 16_385, 39_999];
    const long = 'x'.repeat(40_000);
    const texts = [long, ...places.map((place) => `${long.slice(0, place)}y${long.slice(place + 1)}`)];
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  });

  it('depends on its length, also where nothing but zeros is added', () => {
    const texts = [0, 1, 2, 7, 8, 9].map((count) => filler + '\0'.repeat(count));
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  });

  it('distinguishes letters of two units where a block ends', () => {
    const texts = ['🌍', '🌎', '🌏'].flatMap((letter) =>
      [1, 2, 3, 4].map((pad) => `${filler}${'-'.repeat(pad)}${letter}`),
    );
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
  });

  it('does not depend on what was looked at before', () => {
    const text = 'short of a block, but long '.repeat(20);
    const first = fingerprint(text);
    fingerprint('z'.repeat(100_000));
    expect(fingerprint(text)).toBe(first);
    expect(first).toBe('r3dv2RzGjO');
  });
});

describe('canonicalFingerprint', () => {
  it('is the same for values with the same canonical JSON, and for no others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect(canonicalFingerprint(one).key === canonicalFingerprint(other).key).toBe(isSame);
        expect(canonicalFingerprint(JSON.parse(canonicalJson(one)))).toEqual(canonicalFingerprint(one));
      }),
    );
  });

  it('does not depend on the order of keys, at any depth', () => {
    const value = { b: [{ y: 1, x: 'two' }], a: null };
    expect(canonicalFingerprint({ a: null, b: [{ x: 'two', y: 1 }] })).toEqual(canonicalFingerprint(value));
    expect(canonicalFingerprint({ a: null, b: [{ x: 'two', y: 2 }] })).not.toEqual(canonicalFingerprint(value));
  });

  it('counts letters of names, texts and numbers', () => {
    expect(canonicalFingerprint({ name: 'four', more: [12] }).length).toBe('namefourmore12'.length);
  });
});

describe('fingerprintOf', () => {
  it('is the same for values with the same JSON, and for no others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
        expect(fingerprintOf(one) === fingerprintOf(other)).toBe(first === second);
        expect(fingerprintOf(JSON.parse(first))).toBe(fingerprintOf(one));
      }),
    );
  });

  it('distinguishes values whose parts are the same', () => {
    const values = [
      [],
      [[]],
      [[], []],
      {},
      [{}],
      '',
      [''],
      'null',
      null,
      '1',
      1,
      true,
      { a: 'bc' },
      { ab: 'c' },
      ['a', 'bc'],
      ['ab', 'c'],
      [['a'], 'b'],
      [['a', 'b']],
    ];
    expect(new Set(values.map(fingerprintOf)).size).toBe(values.length);
  });

  it('distinguishes many similar values', () => {
    const values = Array.from({ length: 200_000 }, (_, index) => ({ next: index }));
    expect(new Set(values.map(fingerprintOf)).size).toBe(values.length);
  });
});
