/** Says what to do next: nothing · ask the human · nothing · raise the limit or shrink the work · try again · call an operator. */
export type Category = 'success' | 'paused' | 'cancelled' | 'capacity' | 'retryable' | 'fatal';

/** The verdict over the work, apart from why it stopped. */
export type Outcome = 'succeeded' | 'skipped' | 'paused' | 'cancelled' | 'failed';

/** Where the cause of an ending comes from. */
export type Family = 'completion' | 'limit' | 'detector' | 'human' | 'validation' | 'external' | 'error' | 'extension';

export const categories: readonly Category[] = ['success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal'];

const outcomes: readonly Outcome[] = ['succeeded', 'skipped', 'paused', 'cancelled', 'failed'];

export function isCategory(value: unknown): value is Category {
  return (categories as readonly unknown[]).includes(value);
}

export function isOutcome(value: unknown): value is Outcome {
  return (outcomes as readonly unknown[]).includes(value);
}

export const families: readonly Family[] = [
  'completion',
  'limit',
  'detector',
  'human',
  'validation',
  'external',
  'error',
  'extension',
];

// Both symbols exist in types only: they let a kind's category and family narrow at compile time.
declare const category: unique symbol;
declare const family: unique symbol;

/** The fields of every termination: its kind, and the paths that were cut to fit the limits of the wire form. */
export interface Ending<
  TKind extends string = string,
  TCategory extends Category = Category,
  TFamily extends Family = Family,
> {
  readonly kind: TKind;
  /** Paths whose values were shortened because the termination was too deep or too large. */
  readonly cut?: readonly string[];
  readonly [category]?: TCategory;
  readonly [family]?: TFamily;
}

/** The categories that an ending's type allows. */
export type CategoryOf<TEnding extends Ending> =
  TEnding extends Ending<string, infer TCategory, Family> ? TCategory : never;

/** The family of an ending's type. */
export type FamilyOf<TEnding extends Ending> =
  TEnding extends Ending<string, Category, infer TFamily> ? TFamily : never;

/** The members of a union of endings that can have a category; those with several keep only this one. */
export type InCategory<TEnding extends Ending, TCategory extends Category> = TEnding extends unknown
  ? [CategoryOf<TEnding>] extends [TCategory]
    ? TEnding
    : TCategory extends CategoryOf<TEnding>
      ? TEnding & Ending<string, TCategory>
      : never
  : never;

/** The members of a union of endings that belong to a family. */
export type InFamily<TEnding extends Ending, TFamily extends Family> = TEnding extends unknown
  ? [FamilyOf<TEnding>] extends [TFamily]
    ? TEnding
    : TFamily extends FamilyOf<TEnding>
      ? TEnding & Ending<string, Category, TFamily>
      : never
  : never;

/** The evidence of an ending: its fields without the ones that every ending has. */
export type FieldsOf<TEnding extends Ending> = {
  // Homomorphic on purpose: only so do optional fields stay optional.
  readonly [P in keyof TEnding as P extends keyof Ending ? never : P]: TEnding[P];
};
