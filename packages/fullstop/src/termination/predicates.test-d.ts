import { expectTypeOf, it } from 'vitest';
import type { Category, Ending } from './ending.js';
import type { Custom } from './kinds/extension.js';
import type { Termination } from './kinds.js';
import { isCategory, isFamily } from './predicates.js';
import type { TerminationRegistry } from './registry.js';
import type { reconciled, throttled } from './third-party.fixture.js';

type Reconciled = ReturnType<typeof reconciled>;
type Throttled = ReturnType<typeof throttled>;

declare const some: Termination<'natural_end' | 'max_iterations' | 'no_route'>;
declare const several: Termination<'terminated' | 'failed' | 'custom' | 'child_failed' | 'natural_end'>;
declare const registry: TerminationRegistry<Reconciled | Throttled>;
declare const mixed: Termination<'natural_end' | 'failed'> | Reconciled | Throttled;

it('narrows to the kinds of a category, and to the others in the else branch', () => {
  if (isCategory(some, 'success')) expectTypeOf(some).toEqualTypeOf<Termination<'natural_end'>>();
  else expectTypeOf(some).toEqualTypeOf<Termination<'max_iterations' | 'no_route'>>();
  if (isCategory(some, 'capacity')) expectTypeOf(some.limit).toEqualTypeOf<number>();
  if (!isCategory(some, 'fatal')) expectTypeOf(some.kind).toEqualTypeOf<'natural_end' | 'max_iterations'>();
});

it('keeps a kind with several categories in both branches', () => {
  if (isCategory(several, 'success')) {
    expectTypeOf(several.kind).toEqualTypeOf<'terminated' | 'custom' | 'child_failed' | 'natural_end'>();
  } else {
    expectTypeOf(several.kind).toEqualTypeOf<'terminated' | 'failed' | 'custom' | 'child_failed'>();
  }
  if (isCategory(several, 'retryable'))
    expectTypeOf(several.kind).toEqualTypeOf<'failed' | 'custom' | 'child_failed'>();
  else expectTypeOf(several.kind).toEqualTypeOf<'terminated' | 'failed' | 'custom' | 'child_failed' | 'natural_end'>();
});

it('keeps the fields of a kind with several categories readable in both branches', () => {
  const t = several as Termination<'custom'>;
  if (isCategory(t, 'fatal')) expectTypeOf(t.category).toEqualTypeOf<Category>();
  else expectTypeOf(t).toEqualTypeOf<Custom>();
});

it('narrows one test after the other down to nothing', () => {
  if (isCategory(some, 'success') || isCategory(some, 'capacity') || isCategory(some, 'fatal')) return;
  expectTypeOf(some).toBeNever();
});

it('narrows to the kinds of a family, and to the others in the else branch', () => {
  if (isFamily(some, 'limit')) expectTypeOf(some).toEqualTypeOf<Termination<'max_iterations'>>();
  else expectTypeOf(some).toEqualTypeOf<Termination<'natural_end' | 'no_route'>>();
  if (isFamily(several, 'completion')) expectTypeOf(several.kind).toEqualTypeOf<'terminated' | 'natural_end'>();
  else expectTypeOf(several.kind).toEqualTypeOf<'failed' | 'custom' | 'child_failed'>();
});

it('narrows third-party kinds by what their definition declares', () => {
  if (isCategory(mixed, 'success', registry))
    expectTypeOf(mixed).toEqualTypeOf<Termination<'natural_end'> | Reconciled>();
  else expectTypeOf(mixed.kind).toEqualTypeOf<'failed' | 'gateway.throttled'>();
  if (isCategory(mixed, 'retryable', registry))
    expectTypeOf(mixed.kind).toEqualTypeOf<'failed' | 'gateway.throttled'>();
  else expectTypeOf(mixed.kind).toEqualTypeOf<'natural_end' | 'failed' | 'billing.reconciled' | 'gateway.throttled'>();
  if (isFamily(mixed, 'error', registry)) expectTypeOf(mixed).toEqualTypeOf<Termination<'failed'>>();
});

it('refuses words that are neither a category nor a family', () => {
  // @ts-expect-error: a family is no category.
  isCategory(some, 'limit');
  // @ts-expect-error: a category is no family.
  isFamily(some, 'fatal');
});

it('narrows to several categories at once', () => {
  const category = {} as 'success' | 'capacity';
  if (isCategory(some, category)) expectTypeOf(some.kind).toEqualTypeOf<'natural_end' | 'max_iterations'>();
});

it('takes any ending, of which nothing more is known', () => {
  expectTypeOf(isCategory).toBeCallableWith({} as Ending, 'success');
  expectTypeOf(isFamily).toBeCallableWith({} as Ending, 'limit');
  const t = {} as Ending;
  if (isCategory(t, 'success')) expectTypeOf(t.kind).toEqualTypeOf<string>();
  else expectTypeOf(t.kind).toEqualTypeOf<string>();
});
