import { expectTypeOf, it } from 'vitest';
import type { Category, Ending } from './ending.js';
import type { Custom } from './kinds/extension.js';
import type { Termination } from './kinds.js';
import { isCapacity, isCompletion, isError, isFatal, isLimit, isRetryable, isSuccess } from './predicates.js';
import type { reconciled, throttled } from './third-party.fixture.js';

type Reconciled = ReturnType<typeof reconciled>;
type Throttled = ReturnType<typeof throttled>;

declare const some: Termination<'natural_end' | 'max_iterations' | 'no_route'>;
declare const several: Termination<'terminated' | 'failed' | 'custom' | 'child_failed' | 'natural_end'>;
declare const mixed: Termination<'natural_end' | 'failed'> | Reconciled | Throttled;

it('narrows to the kinds of a category, and to the others in the else branch', () => {
  if (isSuccess(some)) expectTypeOf(some).toEqualTypeOf<Termination<'natural_end'>>();
  else expectTypeOf(some).toEqualTypeOf<Termination<'max_iterations' | 'no_route'>>();
  if (isCapacity(some)) expectTypeOf(some.limit).toEqualTypeOf<number>();
  if (!isFatal(some)) expectTypeOf(some.kind).toEqualTypeOf<'natural_end' | 'max_iterations'>();
});

it('keeps a kind with several categories in both branches', () => {
  if (isSuccess(several)) {
    expectTypeOf(several.kind).toEqualTypeOf<'terminated' | 'custom' | 'child_failed' | 'natural_end'>();
  } else {
    expectTypeOf(several.kind).toEqualTypeOf<'terminated' | 'failed' | 'custom' | 'child_failed'>();
  }
  if (isRetryable(several)) expectTypeOf(several.kind).toEqualTypeOf<'failed' | 'custom' | 'child_failed'>();
  else expectTypeOf(several.kind).toEqualTypeOf<'terminated' | 'failed' | 'custom' | 'child_failed' | 'natural_end'>();
});

it('keeps the fields of a kind with several categories readable in both branches', () => {
  const t = several as Termination<'custom'>;
  if (isFatal(t)) expectTypeOf(t.category).toEqualTypeOf<Category>();
  else expectTypeOf(t).toEqualTypeOf<Custom>();
});

it('narrows one test after the other down to nothing', () => {
  if (isSuccess(some) || isCapacity(some) || isFatal(some)) return;
  expectTypeOf(some).toBeNever();
});

it('narrows to the kinds of a family, and to the others in the else branch', () => {
  if (isLimit(some)) expectTypeOf(some).toEqualTypeOf<Termination<'max_iterations'>>();
  else expectTypeOf(some).toEqualTypeOf<Termination<'natural_end' | 'no_route'>>();
  if (isCompletion(several)) expectTypeOf(several.kind).toEqualTypeOf<'terminated' | 'natural_end'>();
  else expectTypeOf(several.kind).toEqualTypeOf<'failed' | 'custom' | 'child_failed'>();
});

it('narrows third-party kinds by what their definition declares', () => {
  if (isSuccess(mixed)) expectTypeOf(mixed).toEqualTypeOf<Termination<'natural_end'> | Reconciled>();
  else expectTypeOf(mixed.kind).toEqualTypeOf<'failed' | 'gateway.throttled'>();
  if (isRetryable(mixed)) expectTypeOf(mixed.kind).toEqualTypeOf<'failed' | 'gateway.throttled'>();
  else expectTypeOf(mixed.kind).toEqualTypeOf<'natural_end' | 'failed' | 'billing.reconciled' | 'gateway.throttled'>();
  if (isError(mixed)) expectTypeOf(mixed).toEqualTypeOf<Termination<'failed'>>();
});

it('takes any ending, of which nothing more is known', () => {
  expectTypeOf(isSuccess).toBeCallableWith({} as Ending);
  const t = {} as Ending;
  if (isSuccess(t)) expectTypeOf(t.kind).toEqualTypeOf<string>();
  else expectTypeOf(t.kind).toEqualTypeOf<string>();
});
