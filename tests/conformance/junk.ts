import fc from 'fast-check';

/** Values that nobody should hand to an engine, and that somebody will. */
const handMade: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -(2 ** 53),
  1e300,
  '',
  'x',
  'run',
  'waiting',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '__proto__',
  'constructor',
  'x'.repeat(200_000),
  Symbol('junk'),
  () => 'junk',
  5n,
  2n ** 70n,
  [],
  [true],
  new Array(3),
  {},
  { by: 'someone' },
  { decision: 'approve', value: 1n },
  Object.create(null),
  new Map([['a', 1]]),
  new Date(Number.NaN),
  /x/,
  new Error('junk'),
  Promise.resolve(1),
  new Uint8Array(3),
];

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const fails = (): never => {
  throw new Error('a trap');
};

/** Things that throw when they are looked at. */
const hostile: readonly (() => unknown)[] = [
  () => nested(50_000),
  cyclic,
  revoked,
  () => new Proxy({}, { get: fails, ownKeys: fails, getPrototypeOf: fails, has: fails }),
  () => new Proxy([], { get: fails }),
  () => new Proxy({ by: 'caller' }, { getOwnPropertyDescriptor: fails }),
  () =>
    Object.defineProperty({}, 'by', {
      enumerable: true,
      get: () => {
        // Neither an error nor something that can be made a text.
        throw Object.create(null);
      },
    }),
  () => ({ toJSON: fails, runId: 'x', name: 'x', version: '1', input: { toJSON: fails } }),
];

/** Made only when it is needed: whoever generates values looks at them too. */
export const junk: fc.Arbitrary<() => unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...handMade.map((value) => () => value)) },
  { weight: 2, arbitrary: fc.constantFrom(...hostile) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }).map((text) => () => text) },
  {
    weight: 2,
    arbitrary: fc
      .anything({ withBigInt: true, withMap: true, withNullPrototype: true, withSparseArray: true })
      .map((value) => () => value),
  },
);

/** The arguments of a good call with one of them, or one field in one of them, replaced by junk. */
export function spoiled(good: readonly unknown[]): fc.Arbitrary<() => readonly unknown[]> {
  return fc.tuple(fc.nat(), fc.nat(), fc.boolean(), junk).map(([place, field, isWhole, make]) => () => {
    if (good.length === 0) return [make()];
    const index = place % good.length;
    const whole = good[index];
    if (isWhole || typeof whole !== 'object' || whole === null) return good.with(index, make());
    const names = [...Object.keys(whole), 'more'];
    const changed = { ...whole, [names[field % names.length] as string]: make() };
    return good.with(index, Array.isArray(whole) ? Object.values(changed) : changed);
  });
}

/** A text of any UTF-16 units, more often with some that no store returns. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc
    .array(fc.constantFrom('a', '\u0000', '\ud800', '\udc00', '😀', '%', '/', '#2', '~3', ' ', '"', '\n'), {
      maxLength: 5,
    })
    .map((parts) => parts.join('')),
);
