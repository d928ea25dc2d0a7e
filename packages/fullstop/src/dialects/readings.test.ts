import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { arbitraryTermination } from '../termination/any-termination.fixture.js';
import { category, describe as describeEnding, family, isOpen, nextAction, outcome } from '../termination/classify.js';
import { defineTermination } from '../termination/define-termination.js';
import { categories, type Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject, type JsonValue } from '../termination/json.js';
import { match, matchCategory } from '../termination/match.js';
import { createRegistry, type TerminationRegistry } from '../termination/registry.js';
import { tagOf } from '../termination/tag-of.js';
import { allDialects } from './all-dialects.js';
import { converge } from './converge.js';
import type { Dialect, ForeignReading } from './dialect.js';
import { needlr } from './needlr.js';
import { tireaB } from './tirea.js';

const outcomes = ['succeeded', 'skipped', 'paused', 'cancelled', 'failed'];

const no = (): string => 'wrong';
const arms = { success: no, paused: no, cancelled: no, capacity: no, retryable: no };

/** Whatever a dialect read can be asked everything, and every answer is a whole one. */
function expectSafe(termination: Ending, registry?: TerminationRegistry): void {
  for (const text of [describeEnding(termination, registry), nextAction(termination, registry)]) {
    expect(text).not.toMatch(/undefined|NaN|\[object|function/);
    expect(text).toMatch(/^.{3,}[.!?]$/s);
  }
  expect(categories).toContain(category(termination, registry));
  expect(outcomes).toContain(outcome(termination, registry));
  expect(typeof family(termination, registry)).toBe('string');
  expect(typeof isOpen(termination, registry)).toBe('boolean');
  expect(tagOf(termination, { registry: registry as TerminationRegistry, customTags: ['a'] })).toEqual(
    expect.any(String),
  );
  expect(match(termination, { _: ({ kind }) => kind })).toBe(termination.kind);
}

/** The value with one member, wherever it is, replaced or left out. */
function withChange(value: JsonValue, seed: number, replacement: JsonValue | undefined): JsonValue {
  const places: (readonly (string | number)[])[] = [];
  const collect = (each: unknown, path: readonly (string | number)[]): void => {
    if (path.length > 0) places.push(path);
    if (Array.isArray(each)) for (const [index, item] of each.entries()) collect(item, [...path, index]);
    else if (isObject(each)) for (const [key, item] of Object.entries(each)) collect(item, [...path, key]);
  };
  collect(value, []);
  const place = places[seed % Math.max(1, places.length)];
  if (place === undefined) return value;
  const copy = structuredClone(value);
  let parent = copy as unknown as Record<string | number, unknown>;
  for (const key of place.slice(0, -1)) parent = parent[key] as Record<string | number, unknown>;
  const last = place.at(-1) as string;
  if (replacement === undefined) delete parent[last];
  else parent[last] = replacement;
  return copy;
}

function readingOf(dialect: Dialect, value: unknown): ForeignReading | undefined {
  try {
    return dialect.decode(value);
  } catch (error) {
    expect(FullstopError.is(error) && error.code, String(error)).toBe('UNKNOWN_WORD');
    return undefined;
  }
}

describe.each(allDialects.map((dialect) => [dialect.title, dialect] as const))('readings of %s', (_, dialect) => {
  it.each(dialect.words.map((word) => [word.word, word] as const))('can be asked everything: %s', (_, word) => {
    expectSafe({ kind: word.kind, ...word.implied } as Ending);
  });

  it('can be asked everything, whatever is next to the word or missing', () => {
    const change = fc.tuple(fc.nat(), fc.option(fc.jsonValue() as fc.Arbitrary<JsonValue>, { nil: undefined }));
    fc.assert(
      fc.property(arbitraryTermination, fc.array(change, { maxLength: 3 }), (termination, changes) => {
        const { value } = dialect.encode(termination);
        if (value === null) return;
        const changed = changes.reduce<JsonValue>((each, [seed, to]) => withChange(each, seed, to), value);
        const reading = readingOf(dialect, changed);
        if (reading !== undefined) expectSafe(reading.termination as Ending);
      }),
      { numRuns: 400 },
    );
  });
});

describe('an incomplete reading', () => {
  it('is described by what is known, and names what is not', () => {
    expect(describeEnding(tireaB.decode({ type: 'suspended' }).termination as Ending)).toBe(
      'Ended as interaction_pending; requests is not known.',
    );
    const rounds = tireaB.decode({ type: 'stopped', value: { code: 'max_rounds_reached' } }).termination as Ending;
    expect(describeEnding(rounds)).toBe('Ended as max_iterations; limit and used are not known.');
    expect(nextAction(rounds)).toBe('Raise the limit or shrink the work, then resume.');
    const failed = tireaB.decode({ type: 'error', value: 'model down' }).termination as Ending;
    expect(describeEnding(failed)).toBe(
      'Ended as failed: model down; error.name, origin and errorClass are not known.',
    );
  });

  it('of a custom ending is for an operator, as long as nobody knows its category', () => {
    const { termination } = needlr.decode({ $kind: 'Custom', Reason: 'Reconciled', Properties: null });
    expect(category(termination)).toBe('fatal');
    expect(outcome(termination)).toBe('failed');
    expect(describeEnding(termination)).toBe('Ended as custom: Reconciled; category is not known.');
    expect(nextAction(termination)).toBe('Have an operator look at it before it is run again.');
  });
});

describe('third-party readings', () => {
  const reconciled = defineTermination({
    kind: 'billing.reconciled',
    schema: z.object({ findings: z.number(), by: z.object({ name: z.string() }) }),
    family: 'completion',
    category: ({ by }) => (by.name === 'a' ? 'success' : 'capacity'),
    describe: ({ findings, by }) => `Reconciled ${findings} findings by ${by.name.toUpperCase()}`,
    nextAction: ({ by }) => `Ask ${by.name.trim()}`,
    dialects: { needlr: 'Reconciled', converge: 'Reconciled' },
  });
  const registry = createRegistry([reconciled]);

  it('say which fields are unknown, and can be asked everything', () => {
    const bare = converge.decode('Reconciled', { registry });
    expect(bare).toEqual({ termination: { kind: 'billing.reconciled' }, unknown: ['findings', 'by'] });
    expectSafe(bare.termination, registry);
    expect(describeEnding(bare.termination, registry)).toBe(
      'Ended as billing.reconciled; findings and by are not known.',
    );
    const half = needlr.decode({ $kind: 'Reconciled', Findings: 3 }, { registry });
    expect(half.unknown).toEqual(['by']);
    expectSafe(half.termination, registry);
    const whole = needlr.decode({ $kind: 'Reconciled', Findings: 3, By: { name: 'a' } }, { registry });
    expect(whole.unknown).toEqual([]);
    expect(describeEnding(whole.termination, registry)).toBe('Reconciled 3 findings by A.');
  });

  it('can be asked everything by those who do not know their definitions', () => {
    for (const value of [{ $kind: 'Reconciled' }, { $kind: 'Reconciled', Findings: 3, By: { name: 'a' } }]) {
      const termination: Ending = needlr.decode(value, { registry }).termination;
      expectSafe(termination);
      expectSafe({ kind: 'child_failed', child: { name: 'books', path: 'books#1' }, termination } as Ending);
      expect(category(termination)).toBe('fatal');
      expect(describeEnding(termination)).toBe('Ended as billing.reconciled, a kind that is not registered here.');
      expect(match(termination, { natural_end: () => 'wrong', _: ({ kind }) => kind })).toBe('billing.reconciled');
      expect(matchCategory(termination, { ...arms, fatal: ({ kind }) => kind })).toBe('billing.reconciled');
    }
  });

  it('without their evidence have an arm in every match by category that compiles', () => {
    const { termination } = converge.decode('Reconciled', { registry });
    expect(matchCategory(termination, { ...arms, fatal: ({ kind }) => kind }, registry)).toBe('billing.reconciled');
  });

  it('with a field of another type are refused', () => {
    expect(() => needlr.decode({ $kind: 'Reconciled', Findings: 'many', By: { name: 'a' } }, { registry })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_WORD' }),
    );
  });

  it('are nobody’s built-in sentence: a definition that answers nonsense is an ending for an operator', () => {
    const odd = defineTermination({
      kind: 'billing.odd',
      schema: z.object({}),
      family: 'completion',
      category: () => undefined as never,
      dialects: { needlr: 'Odd' },
    });
    const own = createRegistry([odd]);
    expectSafe(needlr.decode({ $kind: 'Odd' }, { registry: own }).termination, own);
  });
});

describe('numbers', () => {
  const cycles = (cycles_executed: unknown, limit: unknown) => ({ CycleBudgetExhausted: { cycles_executed, limit } });
  const tokens = (tokens_consumed: unknown) => ({ TokenBudgetExhausted: { tokens_consumed, limit: 1 } });
  const gate = (cycle: unknown) => ({ HitlGatePending: { gate_id: 'g', cycle } });
  const iterations = (Limit: unknown) => ({ $kind: 'MaxIterationsReached', Limit, IterationsUsed: 1 });

  it.each([
    ['a fraction as u32', converge, cycles(1.5, 2)],
    ['a negative u32', converge, cycles(-1, 2)],
    ['more than a u32', converge, cycles(2 ** 32, 2)],
    ['a negative u64', converge, tokens(-1)],
    ['a fraction as u64', converge, tokens(0.5)],
    ['more than JavaScript holds of a u64', converge, tokens(2 ** 53)],
    ['a fraction as the u32 of a gate', converge, gate(0.5)],
    ['more than the u32 of a gate', converge, gate(2 ** 32)],
    ['a fraction as int', needlr, iterations(0.5)],
    ['more than an int', needlr, iterations(2 ** 31)],
    ['not a number', needlr, iterations(Number.NaN)],
    ['infinity as double', needlr, { $kind: 'BudgetPressure', Threshold: Number.POSITIVE_INFINITY }],
  ])('of another type than the source has are refused: %s', (_, dialect, value) => {
    expect(() => dialect.decode(value)).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
  });

  it.each([
    [converge, cycles(2 ** 32 - 1, 0)],
    [converge, tokens(Number.MAX_SAFE_INTEGER)],
    [converge, gate(0)],
    [needlr, iterations(-(2 ** 31))],
  ])('at the ends of the type of the source are read, and can be asked about', (dialect, value) => {
    const { termination } = dialect.decode(value);
    expectSafe(termination as Ending);
    expect(dialect.encode(termination).value).toEqual(value);
  });

  it('beyond the type of the source are written as near as it can hold, and named as lost', () => {
    expect(converge.encode({ kind: 'cycle_budget', used: 2 ** 40, limit: 3 } as Ending)).toMatchObject({
      value: cycles(2 ** 32 - 1, 3),
      lost: ['used'],
    });
  });
});
