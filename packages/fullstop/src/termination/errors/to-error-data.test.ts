import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.js';
import { samples } from '../samples.fixture.js';
import type { ErrorData } from './error-data.js';
import { toErrorData } from './to-error-data.js';

class PaymentError extends Error {
  override readonly name = 'PaymentError';
  readonly code = 'CARD_DECLINED';
}

/** Converts without stacks, which differ from machine to machine. */
function data(thrown: unknown): ErrorData {
  return toErrorData(thrown, { stack: false });
}

const trapping = new Proxy(
  {},
  Object.fromEntries(
    ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'].map((trap) => [
      trap,
      () => {
        throw new Error(trap);
      },
    ]),
  ),
);

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

describe('toErrorData', () => {
  it('keeps name, message, code and stack of an error', () => {
    const error = new PaymentError('no funds');
    expect(toErrorData(error)).toStrictEqual({
      name: 'PaymentError',
      message: 'no funds',
      code: 'CARD_DECLINED',
      stack: error.stack,
    });
    expect(toErrorData(error).stack).toContain('to-error-data.test.ts');
  });

  it('leaves stacks out on request, those of causes too', () => {
    const text = JSON.stringify(data(new Error('a', { cause: new AggregateError([new Error('b')], 'c') })));
    expect(text).not.toContain('stack');
  });

  it.each<readonly [string, unknown, ErrorData]>([
    ['an error', new TypeError('bad'), { name: 'TypeError', message: 'bad' }],
    [
      'an error without a message',
      Object.assign(new RangeError('x'), { message: '' }),
      { name: 'RangeError', message: '' },
    ],
    [
      'an error with a number for a code',
      Object.assign(new Error('x'), { code: 404 }),
      { name: 'Error', message: 'x', code: '404' },
    ],
    ['an error with an odd code', Object.assign(new Error('x'), { code: {} }), { name: 'Error', message: 'x' }],
    ['an error without a name', Object.assign(new Error('x'), { name: '' }), { name: 'Error', message: 'x' }],
    [
      'an error of another realm without a message',
      runInNewContext("Object.assign(new TypeError('x'), { message: 5 })"),
      { name: 'TypeError', message: '' },
    ],
    ['an error whose message is none', Object.assign(new Error('x'), { message: 5 }), { name: 'Error', message: '' }],
    [
      'a DOMException',
      new DOMException('stopped', 'AbortError'),
      { name: 'AbortError', message: 'stopped', code: '20' },
    ],
    ['a DOMException without a code', new DOMException('late', 'Own'), { name: 'Own', message: 'late' }],
    ['text', 'broken', { name: 'NonError', message: 'broken' }],
    ['empty text', '', { name: 'NonError', message: '' }],
    ['null', null, { name: 'NonError', message: 'null was thrown' }],
    ['undefined', undefined, { name: 'NonError', message: 'undefined was thrown' }],
    ['a number', 42, { name: 'NonError', message: '42 was thrown' }],
    ['NaN', Number.NaN, { name: 'NonError', message: 'NaN was thrown' }],
    ['false', false, { name: 'NonError', message: 'false was thrown' }],
    ['a bigint', 42n, { name: 'NonError', message: 'the bigint 42 was thrown' }],
    ['a huge bigint', 1n << 100_000n, { name: 'NonError', message: 'the bigint (more than 256 bits) was thrown' }],
    ['a symbol', Symbol('stop'), { name: 'NonError', message: 'Symbol(stop) was thrown' }],
    ['a function', () => 1, { name: 'NonError', message: 'a function was thrown' }],
    ['a class', PaymentError, { name: 'NonError', message: 'a function was thrown' }],
    ['a plain object', { status: 500 }, { name: 'NonError', message: 'an object {"status":500} was thrown' }],
    ['a list', [1, 2], { name: 'NonError', message: 'an object [1,2] was thrown' }],
    ['an object with a message', { message: 'm', code: 7 }, { name: 'Error', message: 'm', code: '7' }],
    ['an object with name and message', { name: 'Fault', message: 'm' }, { name: 'Fault', message: 'm' }],
    ['an instance of a class', new Map(), { name: 'NonError', message: 'an instance of Map was thrown' }],
    [
      'an object with odd members',
      { a: 5n, b: 1 },
      { name: 'NonError', message: 'an object with the keys a and b was thrown' },
    ],
    ['a proxy that throws in every trap', trapping, { name: 'NonError', message: 'an object was thrown' }],
    ['a revoked proxy', revoked({}), { name: 'NonError', message: 'an object was thrown' }],
    ['a revoked function', revoked(() => 1), { name: 'NonError', message: 'a function was thrown' }],
    [
      'an object that looks like an error',
      Object.assign(Object.create(null), { message: 'm', [Symbol.toStringTag]: 'Error' }),
      { name: 'Error', message: 'm' },
    ],
  ])('turns into data: %s', (_, thrown, expected) => {
    expect(data(thrown)).toStrictEqual(expected);
  });

  it('reads what it can of an error whose getters throw', () => {
    const error = new Error('kept');
    for (const key of ['name', 'code', 'cause', 'errors']) {
      Object.defineProperty(error, key, {
        get: () => {
          throw new Error('getter');
        },
      });
    }
    expect(data(error)).toStrictEqual({ name: 'Error', message: 'kept' });
  });

  it('does not call toJSON or toString of what was thrown', () => {
    const called: string[] = [];
    const thrown = { toJSON: () => called.push('toJSON'), toString: () => called.push('toString'), a: 1 };
    expect(data(thrown).message).toBe('an object with the keys toJSON, toString and a was thrown');
    expect(called).toEqual([]);
  });
});

describe('causes', () => {
  it('are kept in order', () => {
    const error = new Error('a', { cause: new TypeError('b', { cause: 'c' }) });
    expect(data(error)).toStrictEqual({
      name: 'Error',
      message: 'a',
      cause: { name: 'TypeError', message: 'b', cause: { name: 'NonError', message: 'c' } },
    });
  });

  it.each([0, false, ''])('are kept even if they are %j', (cause) => {
    expect(data(new Error('a', { cause })).cause?.name).toBe('NonError');
  });

  it.each([null, undefined])('are absent if they are %j', (cause) => {
    expect(data(new Error('a', { cause }))).toStrictEqual({ name: 'Error', message: 'a' });
  });

  it('that come back to an error above are marked', () => {
    const outer = new Error('outer');
    const inner = new Error('inner', { cause: outer });
    outer.cause = inner;
    expect(data(outer).cause?.cause).toStrictEqual({
      name: 'CircularCause',
      message: 'the chain of causes comes back to an error above',
    });
    const self = new Error('self');
    self.cause = self;
    expect(data(self).cause?.name).toBe('CircularCause');
  });

  it('that several errors share are no circle', () => {
    const root = new Error('root');
    const both = new AggregateError([new Error('a', { cause: root }), new Error('b', { cause: root }), root], 'both');
    expect(data(both).errors?.map((error) => error.cause?.message ?? error.message)).toEqual(['root', 'root', 'root']);
  });

  it('are cut with a mark after ten', () => {
    let error = new Error('level 1000');
    for (let level = 999; level >= 0; level -= 1) error = new Error(`level ${level}`, { cause: error });
    const messages: string[] = [];
    for (let at: ErrorData | undefined = data(error); at !== undefined; at = at.cause) messages.push(at.message);
    expect(messages).toHaveLength(12);
    expect(messages.slice(-2)).toEqual(['level 10', '[cut: more causes]']);
  });

  it('may be made up by a getter for ever', () => {
    const endless = (): object => ({
      message: 'again',
      get cause() {
        return endless();
      },
      get errors() {
        return [endless(), endless(), endless()];
      },
    });
    expect(JSON.stringify(data(endless())).length).toBeLessThan(20_000);
  });
});

describe('the parts of an AggregateError', () => {
  it('are kept in order, whatever they are', () => {
    expect(data(new AggregateError([new TypeError('a'), 'b', null], 'several'))).toStrictEqual({
      name: 'AggregateError',
      message: 'several',
      errors: [
        { name: 'TypeError', message: 'a' },
        { name: 'NonError', message: 'b' },
        { name: 'NonError', message: 'null was thrown' },
      ],
    });
  });

  it('are marked where they come back to the error itself', () => {
    const error = new AggregateError([], 'self');
    error.errors.push(error);
    expect(data(error).errors?.map((part) => part.name)).toEqual(['CircularCause']);
  });

  it('are cut with a mark after fifty', () => {
    const parts = Array.from({ length: 1_000 }, (_, index) => new Error(`part ${index}`));
    const errors = data(new AggregateError(parts, 'many')).errors ?? [];
    expect(errors.at(0)?.message).toBe('part 0');
    expect(errors.at(-1)).toStrictEqual({ name: 'CutErrors', message: '[cut: 951 more errors]' });
    expect(errors).toHaveLength(50);
  });

  it('are absent when the list is no list', () => {
    for (const errors of [5, 'x', {}, revoked([])]) {
      expect(data({ message: 'm', errors })).toStrictEqual({ name: 'Error', message: 'm' });
    }
    const odd = new Proxy([1], { get: (_, key) => (key === 'length' ? Symbol('length') : 1) });
    expect(data({ message: 'm', errors: odd })).toStrictEqual({ name: 'Error', message: 'm', errors: [] });
  });
});

describe('what is huge', () => {
  it('is cut with a mark: messages, stacks and names', () => {
    const error = Object.assign(new Error('m'.repeat(1_000_000)), { name: 'n'.repeat(1_000), code: 'c'.repeat(1_000) });
    error.stack = 's'.repeat(1_000_000);
    expect(toErrorData(error)).toStrictEqual({
      name: `${'n'.repeat(200)}… [cut: 800 more characters]`,
      message: `${'m'.repeat(10_000)}… [cut: 990,000 more characters]`,
      code: `${'c'.repeat(200)}… [cut: 800 more characters]`,
      stack: `${'s'.repeat(10_000)}… [cut: 990,000 more characters]`,
    });
    expect(data('x'.repeat(20_000)).message).toMatch(/^x{10000}… \[cut: 10,000 more characters\]$/);
    expect(data(Symbol('x'.repeat(20_000))).message).toMatch(/more characters\]$/);
  });

  it('is bounded as a whole, and fits into a termination without being cut again', () => {
    const part = (): Error => Object.assign(new Error('\u0001'.repeat(50_000)), { stack: '語'.repeat(50_000) });
    const error = toErrorData(new AggregateError(Array.from({ length: 100 }, part), 'all', { cause: part() }));
    const text = encode({ ...samples.failed, error });
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
    expect(decode(text)).toStrictEqual({ ...samples.failed, error });
  });

  it('is named by its keys: objects that are too large to write out', () => {
    let doubled: unknown = 'leaf';
    for (let level = 0; level < 100; level += 1) doubled = [doubled, doubled];
    const circle: Record<string, unknown> = { big: 'x'.repeat(5_000) };
    circle['self'] = circle;
    expect(data({ doubled }).message).toBe('an object with the keys doubled was thrown');
    expect(data(circle).message).toBe('an object with the keys big and self was thrown');
  });
});

describe('for any value at all', () => {
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

  function check(thrown: unknown): void {
    const error = toErrorData(thrown);
    const text = JSON.stringify(error);
    expect(text.length).toBeLessThan(1_000_000);
    expect(JSON.parse(text)).toStrictEqual(error);
    const t = { ...samples.failed, error };
    expect(decode(encode(t))).toStrictEqual(t);
  }

  it('it does not throw, and returns bounded data that a termination accepts', () => {
    fc.assert(fc.property(anything, check), { numRuns: 2_000 });
  });

  it('the same holds for an error whose every part is anything', () => {
    const odd = fc.record({
      name: anything,
      message: anything,
      code: anything,
      stack: anything,
      cause: anything,
      errors: anything,
    });
    const parts = fc.oneof(
      odd,
      odd.map((fields) => Object.assign(new Error('x'), fields)),
      anything.map((cause) => new Error('x', { cause })),
      fc.array(anything).map((errors) => new AggregateError(errors, 'x')),
    );
    fc.assert(fc.property(parts, check), { numRuns: 2_000 });
  });
});

describe('the own fields of an error', () => {
  it('are kept as far as they are JSON', () => {
    const error = Object.assign(new Error('declined', { cause: Object.assign(new Error('x'), { port: 80 }) }), {
      orderId: 4711,
      details: { reason: 'expired', at: [1, 2] },
      when: new Date(0),
      call: () => undefined,
      size: 1n,
      nothing: undefined,
    });
    expect(toErrorData(error)).toMatchObject({
      data: { orderId: 4711, details: { reason: 'expired', at: [1, 2] }, when: '1970-01-01T00:00:00.000Z' },
      cause: { data: { port: 80 } },
    });
    expect(Object.keys(toErrorData(error).data ?? {})).toEqual(['orderId', 'details', 'when']);
    expect(toErrorData(new Error('plain'))).not.toHaveProperty('data');
    expect(toErrorData(error, { data: false })).not.toHaveProperty('data');
  });

  it('are bounded, and never throw', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, index]));
    expect(Object.keys(toErrorData(Object.assign(new Error('x'), many)).data ?? {})).toHaveLength(21);
    const large = Object.assign(new Error('x'), { body: 'x'.repeat(100_000), ok: 1 });
    expect(toErrorData(large).data).toEqual({ body: '[cut: too large]', ok: 1 });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const odd = Object.defineProperty(Object.assign(new Error('x'), { circle }), 'bad', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(toErrorData(odd).data).toEqual({ circle: '[cut: too large]' });
  });
});
