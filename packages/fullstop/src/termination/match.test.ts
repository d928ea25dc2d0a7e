import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from './any-termination.fixture.js';
import { category } from './classify.js';
import { type Category, categories, type Ending } from './ending.js';
import type { AnyTermination, Termination } from './kinds.js';
import { match, matchCategory } from './match.js';
import { createRegistry } from './registry.js';
import { samples } from './samples.fixture.js';
import { terminations } from './terminations.js';
import { reconciled, throttled } from './third-party.fixture.js';

describe('match', () => {
  const either = (t: Termination<'natural_end' | 'max_iterations' | 'cancelled'>): string =>
    match(t, {
      natural_end: () => 'done',
      max_iterations: ({ limit }) => `raise ${limit}`,
      cancelled: ({ by }) => `stopped by ${by}`,
    });

  it('calls the arm of the kind with the termination', () => {
    expect(either(samples.natural_end)).toBe('done');
    expect(either(samples.max_iterations)).toBe('raise 25');
    expect(either(samples.cancelled)).toBe('stopped by parent');
  });

  it('gives every kind without an arm to _', () => {
    fc.assert(
      fc.property(arbitraryTermination, (t) => {
        const result = match(t, { natural_end: () => 'own arm', _: (rest) => rest.kind });
        expect(result).toBe(t.kind === 'natural_end' ? 'own arm' : t.kind);
      }),
    );
  });

  it('hands on exactly what the arm returns, or throws', async () => {
    const promise = Promise.resolve(1);
    expect(match(samples.natural_end, { natural_end: () => promise })).toBe(promise);
    expect(match(samples.natural_end, { natural_end: () => undefined, _: () => 1 })).toBeUndefined();
    const thrown = new Error('from the arm');
    expect(() =>
      match(samples.natural_end, {
        natural_end: () => {
          throw thrown;
        },
      }),
    ).toThrow(thrown);
    await promise;
  });

  it('takes third-party kinds like any other', () => {
    const t: Termination<'natural_end'> | ReturnType<typeof reconciled> = reconciled({ findings: 3 });
    expect(match(t, { 'billing.reconciled': ({ findings }) => findings })).toBe(3);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
    'does not take what every object inherits for the arm of a kind named %s',
    (kind) => {
      const odd = { kind } as unknown as AnyTermination;
      expect(match(odd, { natural_end: () => 'natural', _: (t) => t.kind })).toBe(kind);
      expect(() => match(odd as unknown as Termination<'natural_end'>, { natural_end: () => 'natural' })).toThrow(
        expect.objectContaining({ code: 'NO_MATCHING_ARM' }),
      );
    },
  );

  it('says which arms there are when none fits a kind that the type did not list', () => {
    const lying = samples.no_route as unknown as Termination<'natural_end' | 'cancelled'>;
    expect(() => match(lying, { natural_end: () => 1, cancelled: () => 2 })).toThrow(
      expect.objectContaining({
        code: 'NO_MATCHING_ARM',
        message:
          'match has no arm for "no_route" (arms: natural_end, cancelled); the type of its argument did not list it. Add the arm or a _ arm.',
      }),
    );
  });
});

describe('matchCategory', () => {
  const arms: Readonly<Record<Category, (t: Ending) => string>> = {
    success: (t) => `success ${t.kind}`,
    paused: (t) => `paused ${t.kind}`,
    cancelled: (t) => `cancelled ${t.kind}`,
    capacity: (t) => `capacity ${t.kind}`,
    retryable: (t) => `retryable ${t.kind}`,
    fatal: (t) => `fatal ${t.kind}`,
  };

  it('calls the arm of the category with the termination', () => {
    fc.assert(
      fc.property(arbitraryTermination, (t) => {
        expect(matchCategory(t, arms)).toBe(`${category(t)} ${t.kind}`);
      }),
    );
  });

  it.each(categories)('calls the %s arm for a custom ending of that category', (given) => {
    expect(matchCategory(terminations.custom({ reason: 'own', category: given }), arms)).toBe(`${given} custom`);
  });

  it('judges third-party kinds by their registry', () => {
    const registry = createRegistry([throttled]);
    expect(matchCategory(throttled({ retryAfterMs: 1 }), arms, registry)).toBe('retryable gateway.throttled');
    expect(matchCategory(throttled({ retryAfterMs: 1, banned: true }), arms, registry)).toBe('fatal gateway.throttled');
    const unregistered: Ending = throttled({ retryAfterMs: 1 });
    expect(matchCategory(unregistered, arms)).toBe('fatal gateway.throttled');
  });

  it('takes a made-up category for one that an operator has to look at', () => {
    const odd = { kind: 'custom', reason: '', category: 'toString' } as unknown as Termination<'custom'>;
    expect(matchCategory(odd, arms)).toBe(arms.fatal(odd as never));
    expect(() => matchCategory(odd, {} as typeof arms)).toThrow(
      expect.objectContaining({
        code: 'NO_MATCHING_ARM',
        message: expect.stringContaining('matchCategory has no arm for "fatal"'),
      }),
    );
  });
});
