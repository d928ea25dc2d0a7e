import type { Category, CategoryOf, Ending, Family, FamilyOf, Outcome } from './ending.js';
import { builtIns } from './registry.js';
import { kindOf, type RegistryFor } from './unregistered.js';

/** The reaction that an ending asks for: the one question of retry logic. */
export function category<TEnding extends Ending>(
  termination: TEnding,
  ...registry: RegistryFor<TEnding>
): CategoryOf<TEnding> {
  const answer: Category = kindOf(termination, registry[0] ?? builtIns).category(termination);
  return answer as CategoryOf<TEnding>;
}

/** The verdict over the work, before a run's own `treatAsSuccess`. */
export function outcome<TEnding extends Ending>(termination: TEnding, ...registry: RegistryFor<TEnding>): Outcome {
  return kindOf(termination, registry[0] ?? builtIns).outcome(termination);
}

/** Where the cause of an ending comes from. */
export function family<TEnding extends Ending>(
  termination: TEnding,
  ...registry: RegistryFor<TEnding>
): FamilyOf<TEnding> {
  const answer: Family = kindOf(termination, registry[0] ?? builtIns).family;
  return answer as FamilyOf<TEnding>;
}

/** True when a run may be resumed after this ending. */
export function isOpen<TEnding extends Ending>(termination: TEnding, ...registry: RegistryFor<TEnding>): boolean {
  return kindOf(termination, registry[0] ?? builtIns).open(termination);
}

/** One English sentence that says why it stopped, with the evidence. */
export function describe<TEnding extends Ending>(termination: TEnding, ...registry: RegistryFor<TEnding>): string {
  return kindOf(termination, registry[0] ?? builtIns).describe(termination);
}

/** One English sentence that says what to do now. */
export function nextAction<TEnding extends Ending>(termination: TEnding, ...registry: RegistryFor<TEnding>): string {
  return kindOf(termination, registry[0] ?? builtIns).nextAction(termination);
}
