import { expectTypeOf, it } from 'vitest';
import type { ErrorData } from './errors/error-data.js';
import type { AnyTermination, Termination, Unlisted } from './kinds.js';
import { match, matchCategory } from './match.js';
import type { TerminationRegistry } from './registry.js';
import type { reconciled, throttled } from './third-party.fixture.js';

type Reconciled = ReturnType<typeof reconciled>;
type Throttled = ReturnType<typeof throttled>;

declare const some: Termination<'natural_end' | 'max_iterations' | 'cancelled'>;
declare const any: AnyTermination;
declare const registry: TerminationRegistry<Reconciled | Throttled>;
declare const mixed: Termination<'natural_end' | 'failed'> | Reconciled | Throttled;

it('refuses a match without an arm for each kind', () => {
  // @ts-expect-error the arm for cancelled is missing
  match(some, { natural_end: () => 1, max_iterations: () => 2 });
  // @ts-expect-error all arms are missing
  match(some, {});
});

it('refuses an arm for a kind that the argument cannot have', () => {
  // @ts-expect-error no_route is impossible
  match(some, { natural_end: () => 1, max_iterations: () => 2, cancelled: () => 3, no_route: () => 4 });
  // @ts-expect-error no_route is impossible, _ or not
  match(some, { no_route: () => 4, _: () => 5 });
});

it('gives each arm its own kind', () => {
  match(some, {
    natural_end: (t) => expectTypeOf(t).toEqualTypeOf<Termination<'natural_end'>>(),
    max_iterations: (t) => expectTypeOf(t).toEqualTypeOf<Termination<'max_iterations'>>(),
    cancelled: (t) => expectTypeOf(t).toEqualTypeOf<Termination<'cancelled'>>(),
  });
});

it('returns the union of what the arms return', () => {
  const result = match(some, {
    natural_end: () => 'text' as const,
    max_iterations: (t) => t.limit,
    cancelled: async () => true,
  });
  expectTypeOf(result).toEqualTypeOf<'text' | number | Promise<boolean>>();
  const rest = match(some, { natural_end: () => 'text' as const, _: () => undefined });
  expectTypeOf(rest).toEqualTypeOf<'text' | undefined>();
});

it('lets an arm throw without spoiling the result', () => {
  const result = match(some, {
    natural_end: () => 1,
    _: (): never => {
      throw new Error('unexpected ending');
    },
  });
  expectTypeOf(result).toEqualTypeOf<number>();
});

it('gives _ exactly the kinds without an arm', () => {
  match(some, {
    natural_end: () => 1,
    _: (t) => expectTypeOf(t).toEqualTypeOf<Termination<'max_iterations' | 'cancelled'>>(),
  });
  match(some, {
    _: (t) => expectTypeOf(t).toEqualTypeOf<Termination<'natural_end' | 'max_iterations' | 'cancelled'>>(),
  });
});

it('allows a _ that is left with nothing', () => {
  match(some, {
    natural_end: () => 1,
    max_iterations: () => 2,
    cancelled: () => 3,
    _: (t) => expectTypeOf(t).toBeNever(),
  });
});

it('takes methods and functions from elsewhere as arms', () => {
  const arms = { natural_end: (t: { kind: string }) => t.kind, max_iterations: () => 2, cancelled: () => 3 };
  expectTypeOf(match(some, arms)).toEqualTypeOf<string | number>();
  const wrong = { natural_end: (t: { limit: number }) => t.limit, max_iterations: () => 2, cancelled: () => 3 };
  // @ts-expect-error natural_end has no limit
  match(some, wrong);
});

it('requires _ over any termination, since libraries may add kinds', () => {
  // @ts-expect-error _ is missing
  match(any, { natural_end: () => 1 });
  const result = match(any, { max_iterations: (t) => t.limit, _: (t) => t.kind });
  expectTypeOf(result).toExtend<number | string>();
  match(any, {
    max_iterations: (t) => expectTypeOf(t).toEqualTypeOf<Termination<'max_iterations'>>(),
    _: (t) => {
      expectTypeOf<Unlisted>().toExtend<typeof t>();
      expectTypeOf<Termination<'max_iterations'>>().not.toExtend<typeof t>();
    },
  });
});

it('knows third-party kinds by inference', () => {
  // @ts-expect-error the arm for gateway.throttled is missing
  match(mixed, { natural_end: () => 1, failed: () => 2, 'billing.reconciled': () => 3 });
  const result = match(mixed, {
    natural_end: () => 'natural' as const,
    failed: (t) => t.errorClass,
    'billing.reconciled': (t) => t.findings,
    'gateway.throttled': (t) => t.banned,
  });
  expectTypeOf(result).toEqualTypeOf<
    'natural' | 'internal' | 'configuration' | 'external' | 'resource' | 'unknown' | number | boolean | undefined
  >();
});

it('asks for an arm of each category that can happen, and for no other', () => {
  const result = matchCategory(some, { success: () => 1, cancelled: () => 'two', capacity: (t) => t.limit });
  expectTypeOf(result).toEqualTypeOf<number | string>();
  // @ts-expect-error capacity is missing
  matchCategory(some, { success: () => 1, cancelled: () => 1 });
  // Arms for the other categories may be there: they are never called, so they add nothing to the result.
  const six = { success: () => 1, paused: () => true, cancelled: () => 2, capacity: () => 3, retryable: () => true };
  expectTypeOf(matchCategory(some, { ...six, fatal: () => true })).toEqualTypeOf<number>();
});

it('asks for all six arms over any termination, since libraries may add kinds', () => {
  // @ts-expect-error fatal is missing
  matchCategory(any, { success: () => 1, paused: () => 1, cancelled: () => 1, capacity: () => 1, retryable: () => 1 });
});

it('gives each arm of a category the kinds that can have it, and never to an impossible one', () => {
  matchCategory(
    mixed,
    {
      success: (t) => expectTypeOf(t).toEqualTypeOf<Termination<'natural_end'> | Reconciled>(),
      paused: (t) => expectTypeOf(t).toBeNever(),
      retryable: (t) => expectTypeOf(t.kind).toEqualTypeOf<'failed' | 'gateway.throttled'>(),
      fatal: (t) => expectTypeOf(t.kind).toEqualTypeOf<'failed' | 'gateway.throttled'>(),
    },
    registry,
  );
});

it('returns the union of what the arms of all categories return', () => {
  const result = matchCategory(
    mixed,
    {
      success: () => 'fine' as const,
      paused: () => true as const,
      cancelled: () => true as const,
      capacity: () => true as const,
      retryable: (t) => (t.kind === 'failed' ? t.error : t.retryAfterMs),
      fatal: (t) => t.kind,
    },
    registry,
  );
  expectTypeOf(result).toEqualTypeOf<'fine' | ErrorData | number | 'failed' | 'gateway.throttled'>();
});
