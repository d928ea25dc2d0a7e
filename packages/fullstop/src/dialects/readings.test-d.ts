import { expectTypeOf, it } from 'vitest';
import { category, describe, family, isOpen, nextAction, outcome } from '../termination/classify.js';
import type { Category, Ending } from '../termination/ending.js';
import { match, matchCategory } from '../termination/match.js';
import { isCategory, isFamily } from '../termination/predicates.js';
import type { TerminationRegistry } from '../termination/registry.js';
import { tagOf } from '../termination/tag-of.js';
import type { reconciled } from '../termination/third-party.fixture.js';
import type { ForeignTermination } from './dialect.js';
import { needlr } from './needlr.js';

type Reconciled = ReturnType<typeof reconciled>;

declare const registry: TerminationRegistry<Reconciled>;
declare const unlisted: TerminationRegistry;
declare const value: unknown;

it('a reading of built-in kinds needs an arm for each kind', () => {
  const { termination } = needlr.decode(value);
  // @ts-expect-error nearly all arms are missing
  match(termination, { natural_end: () => 1 });
  match(termination, { natural_end: () => 1, _: () => 2 });
  expectTypeOf(describe(termination)).toEqualTypeOf<string>();
  expectTypeOf(category(termination)).toEqualTypeOf<Category>();
});

it('fields of a reading may be missing, those of third parties too', () => {
  const { termination } = needlr.decode(value, { registry });
  match(termination, {
    max_iterations: (t) => expectTypeOf(t.limit).toEqualTypeOf<number | undefined>(),
    'billing.reconciled': (t) => expectTypeOf(t.findings).toEqualTypeOf<number | undefined>(),
    _: () => undefined,
  });
});

it('a reading with kinds that no type lists needs the arm for the rest', () => {
  const { termination } = needlr.decode(value, { registry: unlisted });
  // @ts-expect-error any kind may come
  match(termination, { natural_end: () => 1 });
  match(termination, { natural_end: () => 1, _: () => 2 });
  const any = termination as Ending;
  // @ts-expect-error any kind may come
  match(any, { natural_end: () => 1 });
});

it('a reading keeps what its kind says about its category', () => {
  const limit = {} as ForeignTermination<'max_iterations'>;
  expectTypeOf(category(limit)).toEqualTypeOf<'capacity'>();
  const custom = {} as ForeignTermination<'custom'>;
  expectTypeOf(category(custom)).toEqualTypeOf<Category>();
  const { termination } = needlr.decode(value);
  if (!isCategory(termination, 'success')) return;
  // @ts-expect-error a limit is never a success
  expectTypeOf(termination.kind === 'max_iterations');
});

it('a reading with kinds of third parties needs their registry', () => {
  const { termination } = needlr.decode(value, { registry });
  for (const ask of [describe, nextAction, outcome, family, isOpen, category]) {
    expectTypeOf(ask).toBeCallableWith(termination as Ending);
  }
  expectTypeOf(describe(termination, registry)).toEqualTypeOf<string>();
  // @ts-expect-error its definition has the sentence
  describe(termination);
  // @ts-expect-error its definition has the advice
  nextAction(termination);
  // @ts-expect-error its definition has the outcome
  outcome(termination);
  // @ts-expect-error its definition has the family
  family(termination);
  // @ts-expect-error its definition has the category
  category(termination);
  // @ts-expect-error its definition has the category
  isOpen(termination);
  // @ts-expect-error its definition has the category
  isCategory(termination, 'success');
  // @ts-expect-error its definition has the family
  isFamily(termination, 'limit');
  expectTypeOf(tagOf(termination)).toEqualTypeOf<string>();
});

it('a reading whose evidence is missing may be one for an operator, whatever its definition says', () => {
  const { termination } = needlr.decode(value, { registry });
  if (termination.kind !== 'billing.reconciled') return;
  expectTypeOf(category(termination, registry)).toEqualTypeOf<'success' | 'fatal'>();
  // @ts-expect-error the arm for fatal is missing
  matchCategory(termination, { success: () => 1 }, registry);
  matchCategory(termination, { success: () => 1, fatal: () => 2 }, registry);
});

it('a reading with kinds that no type lists can be asked everything', () => {
  const { termination } = needlr.decode(value, { registry: unlisted });
  expectTypeOf(describe(termination)).toEqualTypeOf<string>();
  expectTypeOf(category(termination)).toEqualTypeOf<Category>();
  expectTypeOf(isCategory(termination, 'fatal')).toEqualTypeOf<boolean>();
});
