import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from '../any-termination.fixture.js';
import { causeChainOf } from '../cause-chain.fixture.js';
import type { Ending } from '../ending.js';
import type { AnyTermination, Termination } from '../kinds.js';
import { createRegistry } from '../registry.js';
import { samples } from '../samples.fixture.js';
import { reconciled, throttled } from '../third-party.fixture.js';
import { createCodec, decode, encode, safeDecode } from './codec.js';

/** The same object with its keys in another order. */
function reordered(value: object, order: readonly number[]): object {
  const entries = Object.entries(value);
  const sorted = entries.map((entry, index) => ({ entry, rank: order[index] ?? 0 })).sort((a, b) => a.rank - b.rank);
  return Object.fromEntries(sorted.map(({ entry }) => entry));
}

describe('encode and decode', () => {
  it('return every termination as it was', () => {
    fc.assert(
      fc.property(arbitraryTermination, (t) => {
        expect(decode(encode(t))).toEqual(t);
        expect(safeDecode(encode(t))).toEqual({ ok: true, termination: t });
      }),
      { numRuns: 2_000 },
    );
  });

  it('write plain JSON, as JSON.stringify would', () => {
    fc.assert(fc.property(arbitraryTermination, (t) => encode(t) === JSON.stringify(t)));
    expect(encode(samples.max_iterations)).toBe('{"kind":"max_iterations","limit":25,"used":25,"unit":"iteration"}');
  });

  it('read the kind in any position of the text', () => {
    fc.assert(
      fc.property(arbitraryTermination, fc.array(fc.nat(), { minLength: 10 }), (t, order) => {
        expect(decode(JSON.stringify(reordered(t, order)))).toEqual(t);
      }),
    );
    expect(decode('{"used":2, "limit":1,\n "kind":"max_tool_calls"}')).toEqual({
      kind: 'max_tool_calls',
      limit: 1,
      used: 2,
    });
  });

  it('take the last of several kinds in one text, as JSON does', () => {
    expect(decode('{"kind":"nope","kind":"natural_end"}')).toEqual({ kind: 'natural_end' });
  });

  it('leave out fields that are undefined', () => {
    const t = { kind: 'skipped', reason: undefined, cut: undefined } as unknown as Termination<'skipped'>;
    expect(encode(t)).toBe('{"kind":"skipped"}');
    expect(safeDecode(t)).toEqual({ ok: true, termination: t });
  });

  it('read a value that was parsed already', () => {
    expect(safeDecode(JSON.parse(encode(samples.child_failed)))).toEqual({
      ok: true,
      termination: samples.child_failed,
    });
  });

  it('throw an error that carries every issue', () => {
    expect(() => decode('{"kind":"max_tool_calls","limit":0}')).toThrow(
      expect.objectContaining({
        code: 'INVALID_TERMINATION',
        message:
          'Not a valid termination: limit: expected a whole number above 0, found 0; used: missing, expected a whole number of 0 or more.',
        issues: [expect.objectContaining({ path: 'limit' }), expect.objectContaining({ path: 'used' })],
      }),
    );
  });

  it.each(['', 'not json', '{"kind":"natural_end"', '{"kind":"natural_end"}}', '\ufeff{}', 'undefined'])(
    'say that %j is not JSON',
    (text) => {
      expect(safeDecode(text)).toEqual({
        ok: false,
        issues: [{ code: 'invalid', path: '', message: expect.stringMatching(/^not JSON: ./) }],
      });
    },
  );

  it.each([null, undefined, 5, 5n, 'natural_end', [], {}, Symbol('s'), { kind: 5n }, { kind: undefined }])(
    'refuse to write what is no termination: %o',
    (value) => {
      expect(() => encode(value as never)).toThrow(expect.objectContaining({ code: 'INVALID_TERMINATION' }));
    },
  );
});

describe('values that JSON cannot hold', () => {
  class Money {
    readonly usd = 5;
  }
  class List extends Array<number> {}

  it.each<readonly [string, unknown, string]>([
    ['a bigint', 5n, 'a bigint'],
    ['a function', () => 1, 'a function'],
    ['a symbol', Symbol('s'), 'a symbol'],
    ['NaN', Number.NaN, 'NaN'],
    ['Infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
    ['a map', new Map([[1, 2]]), 'an instance of Map'],
    ['a set', new Set([1]), 'an instance of Set'],
    ['a date', new Date(0), 'an instance of Date'],
    ['a class instance', new Money(), 'an instance of Money'],
    ['a list of a class', new List(1, 2), 'an instance of List'],
    ['an error', new Error('x'), 'an instance of Error'],
    ['a boxed number', Object(5), 'an instance of Number'],
    ['a function that would be called', { toJSON: () => 1 }, 'a function'],
  ])('are refused with their path: %s', (_, value, found) => {
    const path =
      typeof value === 'object' && 'toJSON' in (value as object) ? /^properties\.a\.b\[1\]/ : /^properties\.a\.b\[1\]$/;
    expect(() => encode({ ...samples.custom, properties: { a: { b: [0, value] } } as never })).toThrow(
      expect.objectContaining({
        code: 'INVALID_TERMINATION',
        issues: [
          { code: 'invalid', path: expect.stringMatching(path), message: `expected a JSON value, found ${found}` },
        ],
      }),
    );
  });

  it('include the holes of a list', () => {
    const output = Object.assign(Array(3), { 0: 1, 2: 3 }) as never;
    expect(() => encode({ ...samples.terminated, output })).toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ path: 'output[1]', message: expect.stringContaining('nothing') })],
      }),
    );
  });

  it('are refused in a parsed value as well', () => {
    expect(safeDecode({ kind: 'submitted', tool: 'x', deliverable: [new Date(0)] })).toEqual({
      ok: false,
      issues: [
        { code: 'invalid', path: 'deliverable[0]', message: 'expected a JSON value, found an instance of Date' },
      ],
    });
  });

  it('are found after a hundred thousand others, in a value that is too large as well', () => {
    const properties = { list: Array(200_000).fill(0), text: 'x'.repeat(2_000_000), big: 5n } as never;
    expect(() => encode({ ...samples.custom, properties })).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: 'properties.big' })] }),
    );
  });

  it('are found at the root of a very long chain, with a path that can be read', () => {
    const t = causeChainOf(10_000, { ...samples.custom, properties: { big: 5n } as never });
    expect(() => encode(t)).toThrow(
      expect.objectContaining({
        issues: [
          expect.objectContaining({ path: expect.stringMatching(/^termination\..{200,300}\.properties\.big$/) }),
        ],
      }),
    );
  });
});

describe('keys and kinds named like what every object has', () => {
  const hostile =
    '{"kind":"custom","reason":"r","category":"fatal","properties":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":5},"__proto__":{"polluted":2},"constructor":3}';

  it('come back as they were and change nothing else', () => {
    const t = decode(hostile);
    expect(encode(t)).toBe(hostile);
    for (const key of ['kind', '$kind']) {
      const codec = createCodec({ discriminant: key });
      expect(codec.encode(codec.decode(hostile.replace('"kind"', JSON.stringify(key))))).toBe(
        hostile.replace('"kind"', JSON.stringify(key)),
      );
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Object.getPrototypeOf(t)).toBe(Object.prototype);
  });

  it('do not take the place of missing evidence', () => {
    expect(safeDecode('{"kind":"tool_called","__proto__":{"tool":"x"}}')).toMatchObject({
      ok: false,
      issues: [{ code: 'missing', path: 'tool' }],
    });
    expect(safeDecode('{"__proto__":{"kind":"natural_end"}}')).toMatchObject({ ok: false });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])('are unknown kinds: %s', (kind) => {
    const text = JSON.stringify({ kind });
    expect(safeDecode(text)).toEqual({
      ok: false,
      issues: [{ code: 'unknown_kind', path: 'kind', message: `unknown kind "${kind}"` }],
    });
    expect(createCodec({ unknownKinds: 'keep' }).decode(text)).toEqual({ kind });
    expect(() => encode({ kind })).toThrow(expect.objectContaining({ code: 'UNREGISTERED_TERMINATION' }));
  });
});

describe('kinds that nobody registered', () => {
  const codec = createCodec({ registry: createRegistry([reconciled]) });
  const child = { name: 'c', path: 'c' };

  it('are written and read where they are registered', () => {
    const t = reconciled({ findings: 4 });
    expect(codec.decode(codec.encode(t))).toStrictEqual(t);
    const around = { kind: 'child_failed', child, termination: t } as unknown as Termination;
    expect(codec.decode(codec.encode(around))).toStrictEqual(around);
  });

  it.each<readonly [string, Ending, string]>([
    ['itself', throttled({ retryAfterMs: 1 }), 'kind'],
    [
      'inside a child',
      { kind: 'child_failed', child, termination: throttled({ retryAfterMs: 1 }) } as Ending,
      'termination.kind',
    ],
  ])('are refused loudly on write and on read, with what to do: %s', (_, t, path) => {
    const refused = expect.objectContaining({
      code: 'UNREGISTERED_TERMINATION',
      message: `${path}: unknown kind "gateway.throttled". Define it with defineTermination and register it: createCodec({ registry: createRegistry([definition]) }); or pass unknown kinds through with unknownKinds: 'keep'.`,
    });
    expect(() => codec.encode(t)).toThrow(refused);
    expect(() => codec.decode(JSON.stringify(t))).toThrow(refused);
  });

  it('are just one issue among others when something else is wrong too', () => {
    const text = JSON.stringify({ kind: 'child_failed', termination: { kind: 'nope' } });
    expect(() => codec.decode(text)).toThrow(expect.objectContaining({ code: 'INVALID_TERMINATION' }));
  });

  it('pass through on request, with all their fields, also inside others', () => {
    const lenient = createCodec({ unknownKinds: 'keep', unknownFields: 'reject' });
    const future = { kind: 'future_kind', since: '9.0', evidence: { a: [1] } };
    const around = { kind: 'cancelled', by: 'parent', cause: future };
    for (const value of [future, around]) {
      expect(lenient.decode(JSON.stringify(value))).toStrictEqual(value);
      expect(lenient.encode(value)).toBe(JSON.stringify(value));
    }
    expect(lenient.safeDecode('{"kind":"tool_called"}').ok).toBe(false);
  });
});

describe('a wire form of one’s own', () => {
  // Every success is a bare word; everything else stays as it is.
  const codec = createCodec({
    encode: (t: AnyTermination) => (t.kind === 'natural_end' ? 'done' : undefined),
    decode: (value) => (value === 'done' ? { kind: 'natural_end' } : undefined),
  });

  it('is used where the hooks return one, and left to the default form where they return undefined', () => {
    expect(codec.encode(samples.natural_end)).toBe('"done"');
    expect(codec.decode('"done"')).toEqual(samples.natural_end);
    expect(codec.encode(samples.no_route)).toBe(encode(samples.no_route));
    expect(codec.decode(encode(samples.no_route))).toEqual(samples.no_route);
  });

  it('may be any JSON value, null and false included', () => {
    for (const word of [null, false, 0, '', []]) {
      const odd = createCodec({ encode: () => word, decode: () => samples.natural_end });
      expect(odd.encode(samples.natural_end)).toBe(JSON.stringify(word));
      expect(odd.safeDecode(JSON.stringify(word))).toEqual({ ok: true, termination: samples.natural_end });
    }
  });

  it('is asked with a valid termination only', () => {
    const asked: string[] = [];
    const watching = createCodec({
      encode: (t) => {
        asked.push(t.kind);
        return t.kind;
      },
    });
    expect(() => watching.encode({ kind: 'tool_called' })).toThrow(
      expect.objectContaining({ code: 'INVALID_TERMINATION' }),
    );
    watching.encode(samples.tool_called);
    expect(asked).toEqual(['tool_called']);
  });

  it.each([
    ['invalid evidence', () => ({ kind: 'tool_called' }), 'missing, expected a string'],
    ['an unknown kind', () => ({ kind: 'nope' }), 'unknown kind "nope"'],
    ['null', () => null, 'expected a termination, found null'],
    [
      'a value that is no JSON',
      () => ({ ...samples.custom, properties: { a: 5n } }),
      'expected a JSON value, found a bigint',
    ],
  ])('is checked when it is read: %s', (_, hook, message) => {
    const result = createCodec({ decode: hook as () => Ending }).safeDecode('{}');
    expect(result).toMatchObject({ ok: false, issues: [{ message }] });
  });

  it.each<readonly [string, unknown, string]>([
    ['an error', new Error('broken hook'), 'could not be read: broken hook'],
    ['text', 'broken hook', 'could not be read: broken hook'],
    ['nothing', undefined, 'could not be read: undefined was thrown'],
    ['a proxy that throws', Proxy.revocable({}, {}), 'could not be read: '],
  ])('turns what the hook throws into an issue: %s', (name, thrown, message) => {
    if (name === 'a proxy that throws') (thrown as { revoke: () => void }).revoke();
    const value = name === 'a proxy that throws' ? (thrown as { proxy: object }).proxy : thrown;
    const failing = createCodec({
      decode: () => {
        throw value;
      },
    });
    expect(failing.safeDecode('{}')).toEqual({
      ok: false,
      issues: [{ code: 'invalid', path: '', message: expect.stringContaining(message) }],
    });
  });

  it('is refused on write when it is no JSON', () => {
    const failing = createCodec({ encode: () => ({ list: [5n] }) as never });
    expect(() => failing.encode(samples.natural_end)).toThrow(
      expect.objectContaining({
        code: 'INVALID_TERMINATION',
        message: 'Not a valid result of encode: list[0]: expected a JSON value, found a bigint.',
      }),
    );
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(() => createCodec({ encode: () => circle as never }).encode(samples.natural_end)).toThrow(
      expect.objectContaining({ code: 'INVALID_TERMINATION', message: expect.stringContaining('deeper than 200') }),
    );
  });
});
