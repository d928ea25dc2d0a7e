import type { FieldChecks } from './check.js';
import type { Category, CategoryOf, Ending, Family, FamilyOf, Outcome } from './ending.js';

/** How a row asks about a nested termination, whatever its kind. */
export interface Resolver {
  category(termination: Ending): Category;
  describe(termination: Ending): string;
  nextAction(termination: Ending): string;
}

/** Whether an ending counts as success, and whether the run may be resumed after it. */
export interface Standing<TEnding extends Ending> {
  category(termination: TEnding, resolver: Resolver): CategoryOf<TEnding>;
  outcome(termination: TEnding, resolver: Resolver): Outcome;
  /** An open ending may be resumed; after a closed one nothing is ever appended. */
  open(termination: TEnding, resolver: Resolver): boolean;
}

/** Everything there is to know about one kind. */
export interface KindRow<TEnding extends Ending> extends Standing<TEnding> {
  readonly family: FamilyOf<TEnding>;
  readonly fields: FieldChecks<TEnding>;
  /** One English sentence with the evidence. */
  describe(termination: TEnding, resolver: Resolver): string;
  /** One English sentence that says what to do now. */
  nextAction(termination: TEnding, resolver: Resolver): string;
}

/** One row for each kind of a map of kinds; a missing one is a compile error. */
export type KindRows<TKinds> = { readonly [K in keyof TKinds]: TKinds[K] extends Ending ? KindRow<TKinds[K]> : never };

/** A row whose kind is known only at run time. */
export interface AnyKindRow {
  readonly family: Family;
  readonly fields: object;
  category(termination: never, resolver: Resolver): Category;
  outcome(termination: never, resolver: Resolver): Outcome;
  open(termination: never, resolver: Resolver): boolean;
  describe(termination: never, resolver: Resolver): string;
  nextAction(termination: never, resolver: Resolver): string;
}

interface FixedStanding<TCategory extends Category> {
  category(): TCategory;
  outcome(): Outcome;
  open(): boolean;
}

/** The part that most kinds of a category have in common; a row spreads it and overrides what differs. */
export const success: FixedStanding<'success'> = fixed('success');
export const paused: FixedStanding<'paused'> = fixed('paused');
export const cancelled: FixedStanding<'cancelled'> = fixed('cancelled');
export const capacity: FixedStanding<'capacity'> = fixed('capacity');
export const retryable: FixedStanding<'retryable'> = fixed('retryable');
export const fatal: FixedStanding<'fatal'> = fixed('fatal');

/** The outcome that follows from a category, where a kind does not say otherwise. */
export function outcomeOfCategory(category: Category): Outcome {
  if (category === 'success') return 'succeeded';
  return category === 'paused' || category === 'cancelled' ? category : 'failed';
}

function fixed<TCategory extends Category>(category: TCategory): FixedStanding<TCategory> {
  const outcome = outcomeOfCategory(category);
  return { category: () => category, outcome: () => outcome, open: () => category !== 'success' };
}
