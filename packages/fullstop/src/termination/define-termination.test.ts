import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createCodec } from './codec/codec.js';
import { defineTermination } from './define-termination.js';
import type { Category } from './ending.js';
import { createRegistry } from './registry.js';
import type { StandardSchema } from './standard-schema.js';
import { reconciled, throttled } from './third-party.fixture.js';

const basics = { family: 'limit', category: 'capacity' } as const;

function define(schema: StandardSchema, kind: `${string}.${string}` = 'app.ended') {
  return defineTermination({ kind, schema, ...basics }) as (fields?: unknown) => object;
}

/** A schema that returns whatever the test asks for, as only a wrong one would. */
function giving(value: unknown): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: () => ({ value }) } };
}

function issuesOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    expect(error).toMatchObject({ name: 'FullstopError', code: 'INVALID_TERMINATION' });
    return (error as { issues: unknown }).issues;
  }
  throw new Error('nothing was refused');
}

describe('a kind of one’s own', () => {
  it('is made by calling its definition, with zod', () => {
    expect(reconciled({ findings: 3 })).toStrictEqual({ kind: 'billing.reconciled', findings: 3 });
  });

  it('is made by calling its definition, with valibot', () => {
    expect(throttled({ retryAfterMs: 5, banned: true })).toStrictEqual({
      kind: 'gateway.throttled',
      retryAfterMs: 5,
      banned: true,
    });
  });

  it('has the defaults, and not the unknown fields, that its schema says', () => {
    const counted = defineTermination({
      kind: 'app.counted',
      schema: z.object({ count: z.number().default(7), unit: z.string().trim().optional() }),
      ...basics,
    });
    expect(counted()).toStrictEqual({ kind: 'app.counted', count: 7 });
    expect(counted({ unit: ' m ', more: 1 } as { unit: string })).toStrictEqual({
      kind: 'app.counted',
      count: 7,
      unit: 'm',
    });
  });

  it('carries what was declared', () => {
    expect({ ...reconciled, kind: reconciled.kind }).toMatchObject({
      kind: 'billing.reconciled',
      family: 'completion',
      tag: 'reconciled',
      dialects: {},
    });
    const spoken = defineTermination({
      kind: 'app.spoken',
      schema: z.object({}),
      ...basics,
      dialects: { needlr: 'Spoken' },
    });
    expect(spoken.tag).toBe('app.spoken');
    expect(spoken.dialects).toEqual({ needlr: 'Spoken' });
  });

  it('recognises its own terminations', () => {
    expect(reconciled.is(reconciled({ findings: 0 }))).toBe(true);
    expect(reconciled.is(throttled({ retryAfterMs: 0 }))).toBe(false);
  });

  it('derives category and outcome from its fields', () => {
    const ended = defineTermination({
      kind: 'app.ended',
      schema: z.object({ how: z.enum(['success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal']) }),
      family: 'extension',
      category: (t): Category => t.how,
    });
    const outcomes = (['success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal'] as const).map((how) => {
      const t = ended({ how });
      return `${ended.category(t)} ${ended.outcome(t)}`;
    });
    expect(outcomes).toEqual([
      'success succeeded',
      'paused paused',
      'cancelled cancelled',
      'capacity failed',
      'retryable failed',
      'fatal failed',
    ]);
  });

  it('may fix an outcome that does not follow from its category', () => {
    const partial = defineTermination({ kind: 'app.partial', schema: z.object({}), ...basics, outcome: 'succeeded' });
    expect(partial.outcome(partial())).toBe('succeeded');
  });

  it('says a plain sentence and the next action of its category unless it has its own', () => {
    const plain = defineTermination({ kind: 'app.plain', schema: z.object({}), ...basics });
    expect(plain.describe(plain())).toBe('Ended as app.plain.');
    expect(plain.nextAction(plain())).toBe('Raise the limit or shrink the work, then resume.');
    const wordy = defineTermination({
      kind: 'app.wordy',
      schema: z.object({ by: z.string() }),
      ...basics,
      describe: (t) => `Stopped by ${t.by}.`,
      nextAction: (t) => `Ask ${t.by}.`,
    });
    expect(wordy.describe(wordy({ by: 'Ann' }))).toBe('Stopped by Ann.');
    expect(wordy.nextAction(wordy({ by: 'Ann' }))).toBe('Ask Ann.');
  });
});

describe('kinds that are refused', () => {
  it.each([
    'reconciled',
    'max_iterations',
    'billing.',
    '.reconciled',
    'billing..reconciled',
    'Billing.reconciled',
    'billing.Reconciled',
    'billing.re-conciled',
    'billing.re conciled',
    '1billing.reconciled',
    'billing.reconciled\n',
    '__proto__.x',
    '',
  ])('%j', (kind) => {
    expect(() => define(z.object({}), kind as 'a.b')).toThrow(
      expect.objectContaining({
        code: 'INVALID_KIND',
        message: expect.stringMatching(/is not allowed: use lower-case words joined by dots.*"billing\.reconciled"/),
      }),
    );
  });

  it('but several dots, digits and underscores are fine', () => {
    expect(define(z.object({}), 'acme.billing_2.done_v3')()).toEqual({ kind: 'acme.billing_2.done_v3' });
  });
});

describe('evidence that is refused', () => {
  it('because it does not fit the schema, with a path for each issue', () => {
    const nested = z.object({ items: z.array(z.object({ price: z.number() })), name: z.string() });
    expect(issuesOf(() => define(nested)({ items: [{ price: 1 }, { price: 'x' }] }))).toEqual([
      { code: 'invalid', path: 'items[1].price', message: expect.stringContaining('number') },
      { code: 'invalid', path: 'name', message: expect.stringContaining('string') },
    ]);
    const other = v.object({ items: v.array(v.object({ price: v.number() })) });
    expect(issuesOf(() => define(other)({ items: [{ price: 'x' }] }))).toEqual([
      { code: 'invalid', path: 'items[0].price', message: expect.stringContaining('number') },
    ]);
  });

  it('because the whole of it does not fit the schema', () => {
    expect(issuesOf(() => define(z.object({}))(5))).toEqual([
      { code: 'invalid', path: '', message: expect.stringContaining('object') },
    ]);
  });

  it.each([undefined, null, 5, 'text', [1]])('because the schema returns %j, which is not an object', (value) => {
    expect(issuesOf(() => define(giving(value))())).toEqual([
      { code: 'invalid', path: '', message: 'the schema must return an object' },
    ]);
  });

  it.each(['kind', 'cut'])('because the schema has a field named %s', (name) => {
    expect(issuesOf(() => define(z.object({ [name]: z.any() }))({ [name]: ['x'] }))).toEqual([
      { code: 'invalid', path: name, message: `the schema must not have a field named ${name}` },
    ]);
  });

  it.each([
    ['a date', new Date(0), 'an instance of Date'],
    ['a bigint', 5n, 'a bigint'],
    ['NaN', Number.NaN, 'NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'Infinity'],
    ['a map', new Map(), 'an instance of Map'],
    ['a function', () => 1, 'a function'],
    ['a symbol', Symbol('s'), 'a symbol'],
    ['a hole', [undefined], 'nothing', 'deep.list[0][0]'],
  ])('because the schema gives %s, which is no JSON', (_, value, found, path = 'deep.list[0]') => {
    const schema = z.object({ deep: z.object({ list: z.array(z.any()) }) });
    expect(issuesOf(() => define(schema)({ deep: { list: [value] } }))).toEqual([
      { code: 'invalid', path, message: `expected a JSON value, found ${found}` },
    ]);
  });

  it('because the schema does not accept its own output, so that it could not be read back', () => {
    const schema = z.object({ length: z.string().transform((text) => text.length) });
    expect(issuesOf(() => define(schema)({ length: 'four' }))).toEqual([
      {
        code: 'invalid',
        path: 'length',
        message: expect.stringMatching(/^the schema does not accept its own output: .*string/),
      },
    ]);
  });
});

describe('a schema that validates asynchronously', () => {
  const asynchronous = {
    zod: z.object({ id: z.string().refine(async () => false) }),
    valibot: v.pipeAsync(
      v.object({ id: v.string() }),
      v.checkAsync(async () => false),
    ),
    rejecting: {
      '~standard': { version: 1, vendor: 'test', validate: () => Promise.reject(new Error('down')) },
    } satisfies StandardSchema,
  };

  it.each(Object.entries(asynchronous))('is refused, and its failure surfaces nowhere else: %s', async (_, schema) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    expect(() => define(schema as StandardSchema)({ id: 'x' })).toThrow(
      expect.objectContaining({
        code: 'ASYNC_SCHEMA',
        message: expect.stringMatching(/"app\.ended" validates asynchronously.*use a synchronous schema/),
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('makes reading an issue, not an exception', () => {
    const definition = defineTermination({ kind: 'app.ended', schema: asynchronous.zod, ...basics });
    const codec = createCodec({ registry: createRegistry([definition]) });
    expect(codec.safeDecode('{"kind":"app.ended","id":"x"}')).toEqual({
      ok: false,
      issues: [{ code: 'invalid', path: '', message: expect.stringContaining('validates asynchronously') }],
    });
  });
});
