import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { arbitraryTermination } from '../any-termination.fixture.js';
import type { Ending } from '../ending.js';
import { createRegistry } from '../registry.js';
import { reconciled, throttled } from '../third-party.fixture.js';
import { createCodec, type DecodedTermination, encode } from './codec.js';

// More than 10,000 hostile inputs together.

const codecs = [
  createCodec(),
  createCodec({ discriminant: '$kind', unknownFields: 'reject' }),
  createCodec({ registry: createRegistry([reconciled, throttled]), unknownKinds: 'keep' }),
];

let accepted = 0;

/** Reads with every codec; whatever is accepted must be written and read again to the same. */
function readAll(input: unknown): void {
  for (const codec of codecs) {
    const result: DecodedTermination<Ending> = codec.safeDecode(input);
    if (!result.ok) {
      expect(result.issues.length).toBeGreaterThan(0);
      for (const issue of result.issues) expect(issue.message).not.toBe('');
      continue;
    }
    accepted += 1;
    const text = codec.encode(result.termination);
    expect(codec.encode(codec.decode(text))).toBe(text);
  }
}

/** A valid text with some of it replaced, doubled or left out. */
const mutated = fc
  .tuple(
    arbitraryTermination.map(encode),
    fc.array(
      fc.record({
        at: fc.nat({ max: 10_000 }),
        remove: fc.nat({ max: 4 }),
        insert: fc.oneof(
          fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '-', '0', '1e999', 'null', '{}', '[[', '\u0000'),
          fc.constantFrom('"kind":"failed",', '"__proto__":{},', '"cut":[],', '"termination":null,', '"kind":1,'),
          fc.string({ maxLength: 3 }),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, edits]) => {
    let result = text;
    for (const { at, remove, insert } of edits) {
      const start = at % (result.length + 1);
      result = result.slice(0, start) + insert + result.slice(start + remove);
    }
    return result;
  });

/** A valid termination with one of its fields replaced by anything. */
const bent = fc
  .tuple(arbitraryTermination, fc.nat(), fc.anything({ withNullPrototype: true, withBigInt: true }))
  .map(([t, position, value]) => {
    const keys = Object.keys(t);
    return { ...t, [keys[position % keys.length] as string]: value };
  });

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
});

describe('safeDecode never throws, and accepts only what survives a round trip', () => {
  const runs = { numRuns: 2_200 };

  it('given anything at all', () => {
    fc.assert(fc.property(anything, readAll), runs);
  });

  it('given any JSON text', () => {
    fc.assert(fc.property(fc.json(), readAll), runs);
  });

  it('given any text', () => {
    fc.assert(fc.property(fc.string(), readAll), runs);
  });

  it('given a text that was valid before some of it was changed', () => {
    accepted = 0;
    fc.assert(fc.property(mutated, readAll), runs);
    expect(accepted).toBeGreaterThan(100);
  });

  it('given a termination of which one field is anything', () => {
    accepted = 0;
    fc.assert(fc.property(bent, readAll), runs);
    expect(accepted).toBeGreaterThan(100);
  });

  it.each([
    ['an unfinished nest', '['.repeat(1_000_000)],
    ['a finished nest', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
    [
      'a nest in a termination',
      `{"kind":"custom","reason":"","category":"fatal","properties":{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}}`,
    ],
    [
      'a nest of children',
      `${'{"kind":"child_failed","child":{"name":"","path":""},"termination":'.repeat(15_000)}1${'}'.repeat(15_000)}`,
    ],
    ['a text that is too large', `{"kind":"content_matched","pattern":"${'x'.repeat(2_000_000)}"}`],
    ['a number that is too large', '{"kind":"token_budget","limit":1e999,"used":0}'],
    ['many kinds', `{${'"kind":"natural_end",'.repeat(40_000)}"kind":"natural_end"}`],
  ])('given %s', (_, text) => {
    readAll(text);
  });

  it('given objects that throw, in every trap', () => {
    const traps = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'] as const;
    for (const trap of traps) {
      const hostile = new Proxy(
        { kind: 'natural_end' },
        {
          [trap]: () => {
            throw new Error(`trap ${trap}`);
          },
        },
      );
      readAll(hostile);
      readAll({ kind: 'submitted', tool: 'x', deliverable: hostile });
    }
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    readAll(proxy);
  });

  afterAll(() => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Object.keys(Array.prototype)).toEqual([]);
  });
});
