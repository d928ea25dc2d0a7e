import type { Category, Ending, Family, InCategory, InFamily } from './ending.js';
import { builtIns } from './registry.js';
import { kindOf, type RegistryFor } from './unregistered.js';

/**
 * Narrows an ending to those of a category.
 *
 * @example
 * if (isCategory(termination, 'capacity')) raiseTheLimitOf(termination);
 */
export function isCategory<TEnding extends Ending, TCategory extends Category>(
  termination: TEnding,
  category: TCategory,
  ...registry: RegistryFor<TEnding>
): termination is InCategory<TEnding, TCategory> {
  return kindOf(termination, registry[0] ?? builtIns).category(termination) === category;
}

/** Narrows an ending to those of a family. */
export function isFamily<TEnding extends Ending, TFamily extends Family>(
  termination: TEnding,
  family: TFamily,
  ...registry: RegistryFor<TEnding>
): termination is InFamily<TEnding, TFamily> {
  return kindOf(termination, registry[0] ?? builtIns).family === family;
}
