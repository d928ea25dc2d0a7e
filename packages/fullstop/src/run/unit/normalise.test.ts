import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { normalise } from './normalise.js';

class Purse {
  readonly #money: number;

  constructor(money: number) {
    this.#money = money;
  }

  get money(): number {
    return this.#money;
  }
}

describe('normalise', () => {
  test('returns plain JSON as it is, without a copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const value: unknown = JSON.parse(JSON.stringify(given));
        expect(normalise(value)).toBe(value);
      }),
    );
  });

  test('returns what JSON text would hold, and that again for the result', () => {
    const like = fc.anything({
      withDate: true,
      withNullPrototype: true,
      values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
    });
    fc.assert(
      fc.property(like, (value) => {
        fc.pre(value !== undefined && isWritable(value));
        const normal = normalise(value);
        expect(JSON.stringify(normal)).toBe(JSON.stringify(value));
        expect(normalise(normal)).toBe(normal);
      }),
    );
  });

  test('takes the sign from a zero, which JSON would lose on the way', () => {
    expect(normalise({ a: [-0, 1] })).toEqual({ a: [0, 1] });
    expect(normalise(-0)).toBe(0);
  });

  test('honours toJSON and drops undefined properties', () => {
    const value = {
      at: new Date(0),
      gone: undefined,
      inner: { toJSON: () => ({ n: 1, gone: undefined }) },
      list: [{ a: undefined }],
    };
    expect(normalise(value)).toEqual({ at: '1970-01-01T00:00:00.000Z', inner: { n: 1 }, list: [{}] });
    expect(Object.keys(normalise({ a: undefined }) as object)).toEqual([]);
    expect(normalise(undefined)).toBeUndefined();
  });

  test.each([
    ['a bigint', { a: { b: 1n } }, 'a.b'],
    ['a function', { a: [0, () => 1] }, 'a[1]'],
    ['a symbol', { a: Symbol('s') }, 'a'],
    ['NaN', [Number.NaN], '[0]'],
    ['an infinity', { a: Number.NEGATIVE_INFINITY }, 'a'],
    ['a Map', { m: new Map() }, 'm'],
    ['a Set', { s: new Set() }, 's'],
    ['undefined in a list', [1, undefined], '[1]'],
    ['an error, of which JSON would keep nothing', { results: [{ reason: new Error('no') }] }, 'results[0].reason'],
    ['an error of which JSON would keep the code only', Object.assign(new Error('no'), { code: 'ENOENT' }), ''],
    ['a promise that nobody awaited', { a: Promise.resolve(1) }, 'a'],
    ['a regular expression', { a: /x/ }, 'a'],
    ['a response', [new Response('text')], '[0]'],
    ['an object whose fields are private', { a: new Purse(7) }, 'a'],
    ['bytes without a view', new ArrayBuffer(2), ''],
  ])('refuses %s and says where it is', (_, value, path) => {
    const error = refusalOf(value);
    expect([error.code, error.issues[0]?.path]).toEqual(['NOT_JSON', path]);
  });

  test('takes the fields of an object of a class, and an empty object of any realm', () => {
    class Point {
      x = 1;
    }
    const foreign: unknown = runInNewContext('({})');
    expect(normalise({ point: new Point(), foreign, none: Object.create(null) })).toEqual({
      point: { x: 1 },
      foreign: {},
      none: {},
    });
  });

  test('refuses a cycle and what is nested too deeply instead of hanging', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(refusalOf(cycle).code).toBe('NOT_JSON');
    expect(refusalOf(cycle).message.length).toBeLessThan(600);
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    expect(refusalOf(deep).code).toBe('NOT_JSON');
  });

  test('keeps a property named __proto__ a property', () => {
    const value = JSON.parse('{"__proto__":{"evil":true},"gone":1}') as Record<string, unknown>;
    value['gone'] = undefined;
    const normal = normalise(value) as object;
    expect([JSON.stringify(normal), Object.getPrototypeOf(normal)]).toEqual([
      '{"__proto__":{"evil":true}}',
      Object.prototype,
    ]);
  });
});

function refusalOf(value: unknown): FullstopError {
  try {
    normalise(value);
  } catch (error) {
    if (FullstopError.is(error)) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** Whether JSON text says the same: no invalid dates, and no holes or undefined in lists, which text turns into null. */
function isWritable(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  if (Array.isArray(value)) return Array.from(value).every((member) => member !== undefined && isWritable(member));
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value !== 'object' || value === null || Object.values(value).every(isWritable);
}
