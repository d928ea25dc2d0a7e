import type { Category, Ending, Family, InCategory, InFamily } from './ending.js';
import { builtIns, type Registry } from './registry.js';

/** Narrows an ending to those of one category. */
export type CategoryPredicate<TCategory extends Category> = <TEnding extends Ending>(
  termination: TEnding,
  registry?: Registry,
) => termination is InCategory<TEnding, TCategory>;

/** Narrows an ending to those of one family. */
export type FamilyPredicate<TFamily extends Family> = <TEnding extends Ending>(
  termination: TEnding,
  registry?: Registry,
) => termination is InFamily<TEnding, TFamily>;

export const isSuccess: CategoryPredicate<'success'> = ofCategory('success');
export const isPaused: CategoryPredicate<'paused'> = ofCategory('paused');
export const isCancelled: CategoryPredicate<'cancelled'> = ofCategory('cancelled');
export const isCapacity: CategoryPredicate<'capacity'> = ofCategory('capacity');
export const isRetryable: CategoryPredicate<'retryable'> = ofCategory('retryable');
export const isFatal: CategoryPredicate<'fatal'> = ofCategory('fatal');

export const isCompletion: FamilyPredicate<'completion'> = ofFamily('completion');
export const isLimit: FamilyPredicate<'limit'> = ofFamily('limit');
export const isDetector: FamilyPredicate<'detector'> = ofFamily('detector');
export const isHuman: FamilyPredicate<'human'> = ofFamily('human');
export const isValidation: FamilyPredicate<'validation'> = ofFamily('validation');
export const isExternal: FamilyPredicate<'external'> = ofFamily('external');
export const isError: FamilyPredicate<'error'> = ofFamily('error');
export const isExtension: FamilyPredicate<'extension'> = ofFamily('extension');

function ofCategory<TCategory extends Category>(wanted: TCategory): CategoryPredicate<TCategory> {
  return <TEnding extends Ending>(t: TEnding, registry: Registry = builtIns): t is InCategory<TEnding, TCategory> =>
    registry.get(t.kind).category(t) === wanted;
}

function ofFamily<TFamily extends Family>(wanted: TFamily): FamilyPredicate<TFamily> {
  return <TEnding extends Ending>(t: TEnding, registry: Registry = builtIns): t is InFamily<TEnding, TFamily> =>
    registry.get(t.kind).family === wanted;
}
