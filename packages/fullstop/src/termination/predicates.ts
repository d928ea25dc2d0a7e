import type { Category, Ending, Family, InCategory, InFamily } from './ending.js';
import { builtIns, type TerminationRegistry } from './registry.js';

/**
 * Narrows an ending to those of a category.
 *
 * @example
 * if (isCategory(termination, 'capacity')) raiseTheLimitOf(termination);
 */
export function isCategory<TEnding extends Ending, TCategory extends Category>(
  termination: TEnding,
  category: TCategory,
  registry: TerminationRegistry = builtIns,
): termination is InCategory<TEnding, TCategory> {
  return registry.get(termination.kind).category(termination) === category;
}

/** Narrows an ending to those of a family. */
export function isFamily<TEnding extends Ending, TFamily extends Family>(
  termination: TEnding,
  family: TFamily,
  registry: TerminationRegistry = builtIns,
): termination is InFamily<TEnding, TFamily> {
  return registry.get(termination.kind).family === family;
}
